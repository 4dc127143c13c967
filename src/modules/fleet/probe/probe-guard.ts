// What is refused when an administrator writes a Probe.

import type { AdmissionPlugin } from "../../../intents/admission/admission.ts";
import { invalid } from "../../../intents/refusals.ts";
import { invalidField, unsupportedField } from "../../../kernel/field-error.ts";
import type { FieldError } from "../../../kernel/field-error.ts";
import { probesKind } from "../names.ts";
import type { Offering } from "../offering.ts";
import type { OfferingIndex } from "../offerings/offering-index.ts";
import type { OrganisationIndex } from "../organisations/organisation-index.ts";
import { isSamePlace, readProbe, regionsOf, typeOf } from "./probe.ts";
import type { Probe } from "./probe.ts";

export interface ProbeGuardPorts {
  readonly offerings: Pick<OfferingIndex, "byName">;
  readonly organisations: Pick<OrganisationIndex, "get">;
}

export function probeGuard(ports: ProbeGuardPorts): AdmissionPlugin {
  return {
    name: "FleetProbes",
    validate: ({ object, operation, target }) => {
      const isAbout = target.served.id === probesKind && target.subresource === "";
      if (object === undefined || !isAbout || operation === "DELETE") return;
      // The removal must not depend on what it refers to.
      if (object.metadata.deletionTimestamp !== undefined) return;
      const probe = readProbe(object);
      const errors = [
        ...offeringErrors(probe, ports.offerings.byName(probe.offering)),
        ...ownerErrors(probe, ports),
        ...verifyErrors(probe),
      ];
      if (errors.length > 0) throw invalid(target.served.storedKind, probe.name, errors);
    },
  };
}

function offeringErrors(probe: Probe, offering: Offering | undefined): readonly FieldError[] {
  if (offering === undefined) {
    return [invalidField("spec.offering", probe.offering, "is not an Offering")];
  }
  const types = offering.types.map(({ name }) => name);
  const type = typeOf(probe, offering);
  if (type === undefined || !types.includes(type)) {
    return [unsupportedField("spec.type", type, types)];
  }
  const all = regionsOf({ ...probe, regions: undefined }, offering);
  if (all.length === 0) {
    return [invalidField("spec.type", type, "is not offered in any region that is enabled")];
  }
  const known = all.map(({ provider, region }) => `${provider} ${region}`);
  return (probe.regions ?? []).flatMap((place, at) => {
    if (all.some((each) => isSamePlace(each, place))) return [];
    const value = `${place.provider} ${place.region}`;
    return [unsupportedField(`spec.regions[${at}]`, value, known.slice(0, 50))];
  });
}

function ownerErrors(
  { organisation, owner }: Probe,
  { organisations }: ProbeGuardPorts,
): readonly FieldError[] {
  const found = organisations.get(organisation);
  if (found === undefined) {
    return [invalidField("spec.organisation", organisation, "is not an Organisation: create it")];
  }
  if (found.members.has(owner)) return [];
  const why = `is not a member of the Organisation ${organisation}: add it to spec.members there`;
  return [invalidField("spec.owner", owner, why)];
}

function verifyErrors({ verify }: Probe): readonly FieldError[] {
  if (verify === undefined) return [];
  const url = URL.parse(verify.url.replaceAll("${host}", "host.example"));
  if (url?.protocol === "https:" || url?.protocol === "http:") return [];
  const why = "must be an http or https URL, such as https://${host}/health";
  return [invalidField("spec.verify.url", verify.url, why)];
}

// The spec of a new instance: checked in the order that clients of fleet managers rely on, with
// everything that the service decides filled in. Pure, but for the id.

import { SetpointError } from "../../../kernel/errors.ts";
import type { ErrorCode } from "../../../kernel/errors.ts";
import type { JsonObject } from "../../../kernel/json.ts";
import { textAt, valueAt } from "../../../kernel/json-read.ts";
import { withoutKey } from "../../../kernel/without-key.ts";
import { checkServiceAccess } from "../access.ts";
import { fleetLimits } from "../limits.ts";
import type { InstanceType, Offering, Provider, Region } from "../offering.ts";
import type { Organisation } from "../organisations/organisation.ts";
import { checkTerms } from "../terms.ts";
import { checkOwner } from "./owner.ts";
import { typeFor } from "./quota.ts";
import type { Writer } from "./writer.ts";

export interface NewInstance {
  readonly name: string;
  readonly spec: JsonObject;
  readonly offering: Offering;
  /** That of the namespace. */
  readonly organisation: Organisation;
  readonly writer: Writer;
  readonly newId: () => string;
  /** What a quota service chose; undefined: the quotas of the Organisation decide. */
  readonly chosenType?: InstanceType;
}

/** The owner, after all checks that do not depend on the type. */
export function checkedOwner(given: NewInstance): string {
  const { name, spec, offering, organisation, writer } = given;
  if (!writer.isAdministrator) checkCaller(given);
  checkName(name);
  if (!writer.isAdministrator) checkOwnFields(given);
  const owner = textAt(spec, "owner") || writer.user;
  checkOwner(offering, organisation, owner);
  return owner;
}

/** Throws the errors of fleet/errors.ts. */
export function completedSpec(given: NewInstance): JsonObject {
  const { spec, offering } = given;
  const owner = checkedOwner(given);
  const provider = providerOf(offering, textAt(spec, "cloudProvider"));
  const region = regionOf(provider, textAt(spec, "region"));
  const type = typeOf(given, owner);
  if (!region.types.some((each) => each.name === type.name)) {
    const message = `instances of the type ${type.name} are not offered in the region ${region.id}`;
    throw refused("fleet.type_unavailable", "spec.region", message);
  }
  const multiAz = valueAt(spec, "multiAz") ?? offering.requiresMultiAz;
  if (offering.requiresMultiAz && multiAz !== true) {
    const message = "must be true: instances are in several availability zones";
    throw refused("fleet.multi_az_required", "spec.multiAz", message);
  }
  if (!type.isEnabled) {
    const message = `creation of instances of the type ${type.name} is disabled`;
    throw new SetpointError("fleet.type_disabled", message);
  }
  const account = textAt(spec, "account") || accountOf(given, owner);
  return {
    ...withoutKey(spec, "account"),
    id: textAt(spec, "id") || given.newId(),
    owner,
    ...(account === "" ? {} : { account }),
    cloudProvider: provider.id,
    region: region.id,
    multiAz,
    type: type.name,
    quotaBackend: offering.quota.backend,
  };
}

/** Denied users, maintenance and terms do not bind administrators. */
function checkCaller({ offering, organisation, writer }: NewInstance): void {
  checkServiceAccess(offering, organisation, writer);
  if (writer.organisation !== organisation.id) {
    const message = `only members of the organisation ${organisation.id} may create instances here`;
    throw new SetpointError("fleet.not_owner", message);
  }
  checkTerms(organisation, offering, writer.user);
}

const namePattern = /^[a-z](?:[-a-z0-9]*[a-z0-9])?$/;

/** Throws fleet.name_too_long or fleet.name_invalid. */
export function checkName(name: string): void {
  const most = fleetLimits.maxInstanceNameChars;
  if (name.length > most) {
    const message = `has ${name.length} characters, and may have at most ${most}`;
    throw refused("fleet.name_too_long", "metadata.name", message);
  }
  if (namePattern.test(name)) return;
  const message =
    `${JSON.stringify(name)} does not match ${namePattern.source}: use lower-case letters, ` +
    "digits and dashes, begin with a letter and do not end with a dash";
  throw refused("fleet.name_invalid", "metadata.name", message);
}

/** The fields of the spec that members set. */
const ownFields: ReadonlySet<string> = new Set([
  "cloudProvider",
  "region",
  "multiAz",
  "parameters",
]);

function checkOwnFields({ spec, writer }: NewInstance): void {
  for (const [field, value] of Object.entries(spec)) {
    if (ownFields.has(field) || (field === "owner" && value === writer.user)) continue;
    throw refused("fleet.field", `spec.${field}`, "only administrators may set it");
  }
}

function providerOf({ providers }: Offering, id: string): Provider {
  const provider = providers.find((each) => (id === "" ? each.isDefault : each.id === id));
  if (provider?.isEnabled === true) return provider;
  const known = providers.flatMap((each) => (each.isEnabled ? each.id : []));
  const message = `provider ${id} is not supported, supported providers are: ${known.join(", ")}`;
  throw refused("fleet.provider_unknown", "spec.cloudProvider", message);
}

function regionOf({ id: provider, regions }: Provider, id: string): Region {
  const region = regions.find((each) => (id === "" ? each.isDefault : each.id === id));
  if (region?.isEnabled === true) return region;
  const known = regions.flatMap((each) => (each.isEnabled ? each.id : [])).join(", ");
  const message = `region ${id} is not supported for ${provider}, supported regions are: ${known}`;
  throw refused("fleet.region_unknown", "spec.region", message);
}

function typeOf(
  { spec, offering, organisation, chosenType }: NewInstance,
  owner: string,
): InstanceType {
  const given = textAt(spec, "type");
  if (chosenType !== undefined) return chosenType;
  if (given === "") {
    const type = typeFor(offering, organisation, owner);
    if (type !== undefined) return type;
    const message = `${owner} has no quota for ${offering.displayName}`;
    throw new SetpointError("fleet.quota_insufficient", message);
  }
  const type = offering.types.find(({ name }) => name === given);
  if (type !== undefined) return type;
  const known = offering.types.map(({ name }) => name).join(", ");
  throw refused("fleet.type_unavailable", "spec.type", `${given} is not one of: ${known}`);
}

export function accountOf({ writer, organisation }: NewInstance, owner: string): string {
  const stored = organisation.members.get(owner)?.account ?? "";
  return owner === writer.user ? writer.account || stored : stored;
}

function refused(code: ErrorCode, field: string, message: string): SetpointError {
  return new SetpointError(code, `${field}: ${message}`, { details: { field } });
}

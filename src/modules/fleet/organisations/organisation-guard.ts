// What is refused when an Organisation is written or deleted, and the quotas as bounds.

import type { AdmissionPlugin, AdmissionRequest } from "../../../intents/admission/admission.ts";
import { conflict, invalid } from "../../../intents/refusals.ts";
import { equalJson } from "../../../kernel/json.ts";
import type { Store } from "../../../store/port.ts";
import { instanceCount } from "../lifecycle/instance-count.ts";
import { organisationNamespace, organisationsKind } from "../names.ts";
import type { OfferingIndex } from "../offerings/offering-index.ts";
import { organisationBounds, organisationErrors, quotaWarnings } from "./organisation-check.ts";
import { readOrganisation } from "./organisation.ts";

export interface OrganisationGuardPorts {
  readonly store: Pick<Store, "list">;
  readonly offerings: OfferingIndex;
}

export function organisationGuard(ports: OrganisationGuardPorts): AdmissionPlugin {
  return {
    name: "FleetOrganisations",
    validate: (request) => {
      if (!isOrganisationWrite(request)) return undefined;
      if (request.operation === "DELETE") return checkUnused(ports, request);
      check(ports, request);
      return undefined;
    },
    bounds: (request) => {
      if (!isOrganisationWrite(request) || request.object === undefined) return undefined;
      return organisationBounds(readOrganisation(request.object));
    },
  };
}

function isOrganisationWrite({ target }: AdmissionRequest): boolean {
  return target.served.id === organisationsKind && target.subresource === "";
}

function check({ offerings }: OrganisationGuardPorts, request: AdmissionRequest): void {
  const { object, old, target, caller } = request;
  if (object === undefined || equalJson(object.spec ?? null, old?.spec ?? null)) return;
  const errors = organisationErrors(object);
  if (errors.length > 0) throw invalid(target.served.storedKind, object.metadata.name, errors);
  const warnings = quotaWarnings(readOrganisation(object), (name) => offerings.byName(name));
  for (const warning of warnings) caller.warn(warning);
}

async function checkUnused(
  { store, offerings }: OrganisationGuardPorts,
  { old, target }: AdmissionRequest,
): Promise<void> {
  if (old === undefined || old.metadata.deletionTimestamp !== undefined) return;
  const { name } = old.metadata;
  const namespace = organisationNamespace(name);
  const count = await instanceCount(store, offerings.all(), namespace);
  if (count.instances === 0) return;
  const why = `it has ${count.text} in the namespace ${namespace}: delete them first`;
  throw conflict(target.served.kind, name, why);
}

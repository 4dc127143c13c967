// The instance that a customer asks for. Members of an organisation see all of its instances; to
// everyone else an instance does not exist.

import { SetpointError } from "../../../kernel/errors.ts";
import { textAt } from "../../../kernel/json-read.ts";
import type { Resource } from "../../../kernel/resource.ts";
import type { FleetCaller } from "../identity.ts";
import { organisationNamespace } from "../names.ts";
import type { Organisation } from "../organisations/organisation.ts";
import type { CustomerPorts, FleetRequest, FleetRoutePorts } from "./fleet-route.ts";
import { findInstance, instanceNotFound } from "./instance-lookup.ts";
import type { FoundInstance } from "./instance-lookup.ts";

/** Throws fleet.not_found. */
export async function visibleInstance(
  ports: Pick<FleetRoutePorts, "kinds" | "store">,
  { offering, fleetCaller, path }: FleetRequest,
): Promise<FoundInstance> {
  const id = path["id"] ?? "";
  const found = await findInstance(ports, offering, id);
  if (found?.key.namespace === namespaceOf(fleetCaller)) return found;
  throw instanceNotFound(offering, id);
}

/** The namespace of the caller's organisation, which routes for members always have. */
export function namespaceOf({ organisation }: FleetCaller): string {
  return organisationNamespace(organisation ?? "");
}

/** Undefined before the first write of a member. */
export function organisationOf(
  { fleet }: Pick<CustomerPorts, "fleet">,
  { organisation }: FleetCaller,
): Organisation | undefined {
  return organisation === undefined ? undefined : fleet.organisations.get(organisation);
}

/** Throws fleet.not_owner for a colleague of the owner. */
export function checkMayChange(
  { user, isOrganisationAdmin }: FleetCaller,
  { spec }: Resource,
): void {
  if (isOrganisationAdmin || textAt(spec, "owner") === user) return;
  const message = `User ${user} is neither the owner nor an administrator of the organisation`;
  throw new SetpointError("fleet.not_owner", message);
}

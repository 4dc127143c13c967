// Who can own an instance: a member of the organisation who may use the service. Pure.

import { SetpointError } from "../../../kernel/errors.ts";
import { isDeniedUser } from "../access.ts";
import type { Offering } from "../offering.ts";
import type { Organisation } from "../organisations/organisation.ts";

/** Throws fleet.owner_invalid. */
export function checkOwner(offering: Offering, organisation: Organisation, owner: string): void {
  const isMember = organisation.members.has(owner);
  if (isMember && !isDeniedUser(offering, organisation, owner)) return;
  const why = isMember ? "may not use the service" : "is not a member of it";
  const message =
    `spec.owner: must be a member of the organisation ${organisation.id} who may use the ` +
    `service: ${owner} ${why}`;
  throw new SetpointError("fleet.owner_invalid", message, { details: { field: "spec.owner" } });
}

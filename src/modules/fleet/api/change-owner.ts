// Who can become the owner of an instance.

import { SetpointError } from "../../../kernel/errors.ts";
import { isDeniedUser } from "../access.ts";
import type { Offering } from "../offering.ts";
import type { Organisation } from "../organisations/organisation.ts";

/** Throws fleet.field or fleet.owner_invalid. */
export function checkNewOwner(
  offering: Offering,
  organisation: Organisation | undefined,
  owner: string,
): void {
  if (owner === "") {
    throw new SetpointError("fleet.field", "owner: is required: the name of the new owner", {
      details: { field: "body.owner" },
    });
  }
  const isMember = organisation?.members.has(owner) === true;
  if (isMember && !isDeniedUser(offering, organisation, owner)) return;
  const message = `owner: ${owner} is not a member of the organisation who may use the service`;
  throw new SetpointError("fleet.owner_invalid", message, { details: { field: "body.owner" } });
}

// Who can become the owner of an instance.

import { SetpointError } from "../../../kernel/errors.ts";
import { checkOwner } from "../admission/owner.ts";
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
  if (organisation !== undefined) checkOwner(offering, organisation, owner);
}

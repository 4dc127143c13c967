// Who may use the service of an Offering at all: denied users and organisations may not, and in
// maintenance only the allowed organisations may. The APIs and admission share it. Pure.

import { SetpointError } from "../../kernel/errors.ts";
import type { FleetCaller } from "./identity.ts";
import type { Offering } from "./offering.ts";
import type { Organisation } from "./organisations/organisation.ts";

type Deniable = Pick<Organisation, "isDenied" | "members"> | undefined;

/** `organisation` is that of the caller. Throws fleet.denied or fleet.maintenance. */
export function checkServiceAccess(
  offering: Pick<Offering, "access" | "displayName">,
  organisation: Deniable,
  caller: Pick<FleetCaller, "user" | "organisation">,
): void {
  const { access, displayName } = offering;
  if (isDeniedUser(offering, organisation, caller.user)) {
    const message = `User ${caller.user} is not authorized to access ${displayName}`;
    throw new SetpointError("fleet.denied", message);
  }
  const isAllowed = access.allowedOrganisations.includes(caller.organisation ?? "");
  if (!access.isInMaintenance || isAllowed) return;
  throw new SetpointError("fleet.maintenance", `${displayName} is in maintenance`);
}

/** `organisation` is that of the user. */
export function isDeniedUser(
  { access }: Pick<Offering, "access">,
  organisation: Deniable,
  user: string,
): boolean {
  if (access.deniedUsers.includes(user) || organisation?.isDenied === true) return true;
  return organisation?.members.get(user)?.isDenied === true;
}

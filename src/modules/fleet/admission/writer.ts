// Who writes: a member of an organisation, an administrator, or this server.

import type { AdmissionRequest } from "../../../intents/admission/admission.ts";
import { systemCaller } from "../../../intents/bootstrap.ts";
import type { Caller } from "../../../intents/request.ts";
import { fleetCaller } from "../identity.ts";
import type { FleetCaller, MemberDirectory } from "../identity.ts";
import { adminThrough } from "../names.ts";
import type { Offering } from "../offering.ts";

export interface Writer extends FleetCaller {
  /** May set every field: an administrator of the server or of the service, or this server. */
  readonly isAdministrator: boolean;
}

export function writerOf(
  { caller }: Pick<AdmissionRequest, "caller">,
  offering: Offering,
  directory: MemberDirectory,
): Writer {
  const who = fleetCaller(caller.user, offering, directory);
  return { ...who, isAdministrator: who.isServerAdmin || caller.through === adminThrough };
}

/** Reconcilers and other work of this server. */
export function isServerItself({ user }: Pick<Caller, "user">): boolean {
  return user.name === systemCaller.user.name;
}

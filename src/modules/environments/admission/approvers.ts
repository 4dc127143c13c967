// Who may approve a change, by the permissions of a Template: for Plans and for rollouts.

import type { AdmissionRequest } from "../../../intents/admission/admission.ts";
import { forbidden } from "../../../intents/refusals.ts";
import type { JsonObject } from "../../../kernel/json.ts";
import { objectAt, textAt, valueAt } from "../../../kernel/json-read.ts";
import type { Resource } from "../../../kernel/resource.ts";
import { deploymentDigest } from "../environment/environment.ts";
import { requestedByAnnotation } from "../names.ts";
import { isPermitted } from "./environment-check.ts";

/** The user of the last change of the deployment. */
export function requesterOf({ metadata }: Resource): string {
  return metadata.annotations?.[requestedByAnnotation] ?? "";
}

/** The user of a change that is not deployed yet; empty when there is none. */
export function pendingRequesterOf(environment: Resource): string {
  const deployed = textAt(environment.status, "deployed", "digest");
  const isPending = deployed !== deploymentDigest(objectAt(environment, "spec"));
  return isPending ? requesterOf(environment) : "";
}

export interface ApprovedTemplate {
  readonly name: string;
  readonly spec: JsonObject;
  /** The users whose change is approved. */
  readonly requesters: ReadonlySet<string>;
}

/** Refuses an approver whom the Template does not permit. */
export function checkApproverOf(
  { target, caller }: AdmissionRequest,
  { name, spec, requesters }: ApprovedTemplate,
): void {
  const who = `User ${JSON.stringify(caller.user.name)}`;
  if (!isPermitted(spec, "approve", caller.user)) {
    const why = `${who} may not approve changes of the Template ${name}`;
    throw forbidden(target.served.kind, target.name, why);
  }
  const mayApproveOwn = valueAt(spec, "permissions", "selfApproval") !== false;
  if (mayApproveOwn || !requesters.has(caller.user.name)) return;
  const why = `${who} requested the change: the Template ${name} requires another user`;
  throw forbidden(target.served.kind, target.name, why);
}

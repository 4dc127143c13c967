// A run that gets on has what the run before it waited for, so the status stops saying that it
// waits. Like the first word it names no generation: nothing has been observed by then.

import type { Condition } from "../../kernel/conditions.ts";
import type { JsonObject } from "../../kernel/json.ts";
import type { Resource } from "../../kernel/resource.ts";
import { withoutKey } from "../../kernel/without-key.ts";
import { withStatus } from "./document-edits.ts";
import { conditionsOf, readyType, reconcileStatusOf, statusOf, underWayReason } from "./status.ts";
import { waitingReason } from "./status.ts";

const message = "a run is in progress and no longer waits";

export function hasWait(resource: Resource): boolean {
  const status = statusOf(resource);
  return reconcileStatusOf(status).waitingFor !== undefined || conditionsOf(status).some(isWaiting);
}

export function withoutWait(resource: Resource): Resource {
  if (!hasWait(resource)) return resource;
  const status = statusOf(resource);
  const reconcile = withoutKey(reconcileStatusOf(status) as JsonObject, "waitingFor");
  const conditions = conditionsOf(status).map((each) => (isWaiting(each) ? past(each) : each));
  return withStatus(resource, { ...status, conditions, reconcile });
}

function isWaiting({ type, status, reason }: Condition): boolean {
  return type === readyType && status === "False" && reason === waitingReason;
}

function past({ type, status, lastTransitionTime }: Condition): Condition {
  return { type, status, reason: underWayReason, message, lastTransitionTime };
}

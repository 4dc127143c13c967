// A request to cancel, as annotations of the resource. Each value is handled once: `status` keeps
// the last one, so that a later run is not cancelled by an old request.

import { textAt } from "../../../kernel/json-read.ts";
import type { Resource } from "../../../kernel/resource.ts";

export const cancelAnnotation = "environments.setpoint.dev/cancel";
export const forceCancelAnnotation = "environments.setpoint.dev/force-cancel";

export interface CancelRequest {
  readonly how: "graceful" | "force";
  /** Usually the id of an operation. */
  readonly value: string;
}

export function cancelRequestOf(owner: Resource): CancelRequest | undefined {
  const { annotations = {} } = owner.metadata;
  const handled = textAt(owner, "status", "cancelled", "graceful");
  const handledForce = textAt(owner, "status", "cancelled", "force");
  const force = annotations[forceCancelAnnotation] ?? "";
  if (force !== "" && force !== handledForce) return { how: "force", value: force };
  const graceful = annotations[cancelAnnotation] ?? "";
  return graceful !== "" && graceful !== handled ? { how: "graceful", value: graceful } : undefined;
}

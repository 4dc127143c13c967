// The state of a resource as one word of a closed set, derived from its document alone. `why` says
// more about one resource; this word is for counting and filtering many of them.

import { isCurrentCondition, specChangedReason } from "../../kernel/current-conditions.ts";
import type { JsonObject } from "../../kernel/json.ts";
import { objectsAt, textAt } from "../../kernel/json-read.ts";
import type { Resource } from "../../kernel/resource.ts";

export const resourceStates = [
  /** The condition Ready is True, for the present generation. */
  "Ready",
  /** A run is in progress, or has not begun since the last change of the spec. */
  "Progressing",
  /** The reconciler waits for another resource. */
  "Waiting",
  /** The last run failed, or what it reconciles did: the condition Ready has the reason Failed. */
  "Failed",
  /** The condition Ready is False for another reason. */
  "NotReady",
  /** The resource is being deleted. */
  "Deleting",
  /** A reconciler handles the kind and has not reported yet, or the condition is Unknown. */
  "Unknown",
  /** No reconciler handles the kind, and nothing has reported a condition. */
  "Stored",
] as const;

export type ResourceState = (typeof resourceStates)[number];

export interface Judged {
  readonly state: ResourceState;
  /** The reason of the condition, or a reason of this file. Empty when the state says it all. */
  readonly reason: string;
}

/** States that a report of problems leaves out. */
const fineStates: ReadonlySet<ResourceState> = new Set<ResourceState>(["Ready", "Stored"]);

export function isProblem(state: ResourceState): boolean {
  return !fineStates.has(state);
}

const readyStatus = "True";

export function judge(resource: Resource, isReconciled: boolean): Judged {
  const { metadata, status } = resource;
  const conditions = objectsAt(status, "conditions");
  const ready = conditions.find((condition) => textAt(condition, "type") === "Ready");
  if (metadata.deletionTimestamp !== undefined) {
    return { state: "Deleting", reason: deletionReason(conditions) };
  }
  if (ready === undefined) {
    return isReconciled
      ? { state: "Unknown", reason: "NotReported" }
      : { state: "Stored", reason: "" };
  }
  const reason = textAt(ready, "reason");
  const isBehind = !isCurrentCondition(resource, ready);
  const isTrue = textAt(ready, "status") === readyStatus;
  if (isTrue && !isBehind) return { state: "Ready", reason };
  const synced = conditions.find((condition) => textAt(condition, "type") === "Synced");
  if (textAt(synced, "status") === "False") {
    return { state: "Failed", reason: textAt(synced, "reason") || reason || "Failed" };
  }
  if (isTrue) return { state: "Progressing", reason: specChangedReason };
  if (reason === "Waiting") return { state: "Waiting", reason };
  if (reason === "InProgress" || isBehind) return { state: "Progressing", reason };
  const isFalse = textAt(ready, "status") === "False";
  if (isFalse && reason === "Failed") return { state: "Failed", reason };
  const isUnknown = textAt(ready, "status") === "Unknown";
  return { state: isUnknown ? "Unknown" : "NotReady", reason: reason || "NotReady" };
}

/** A removal that fails says so in Synced; every other one is in progress. */
function deletionReason(conditions: readonly JsonObject[]): string {
  const synced = conditions.find((condition) => textAt(condition, "type") === "Synced");
  return textAt(synced, "status") === "False" ? textAt(synced, "reason") : "Deleting";
}

// Reads what the engine keeps in a status. People can write a status too, so nothing in it is
// trusted to have its shape: what has not counts as absent and is replaced at the next write.

import type { Condition } from "../../kernel/conditions.ts";
import { getOwn, isJsonArray, isJsonObject } from "../../kernel/json.ts";
import type { Json, JsonObject } from "../../kernel/json.ts";
import type { Resource } from "../../kernel/resource.ts";
import type { ReconcileStatus } from "../ports.ts";

/** The engine's own conditions; others belong to the author. */
export const readyType = "Ready";
export const syncedType = "Synced";
/** Of Ready, while a run is under way, others have to come first, or a removal goes on. */
export const underWayReason = "InProgress";
export const waitingReason = "Waiting";
export const deletingReason = "Deleting";
/** Why a resource is not synced that takes its workers down. */
export const workerLostReason = "WorkerLost";
/** Why a resource is not synced that stops the thread of its module. */
export const moduleStopReasons = {
  blocked: "ModuleBlocked",
  memory: "ModuleOutOfMemory",
  exit: "ModuleExited",
  error: "ModuleCrashed",
} as const;

const nothing: JsonObject = Object.freeze({});

export function statusOf(resource: Resource): JsonObject {
  const status = getOwn(resource, "status");
  return isJsonObject(status) ? status : nothing;
}

export function reconcileStatusOf(status: JsonObject): ReconcileStatus {
  const own = getOwn(status, "reconcile");
  return isJsonObject(own) ? own : nothing;
}

export function conditionsOf(status: JsonObject): readonly Condition[] {
  const list = getOwn(status, "conditions");
  return isJsonArray(list) && list.every(isCondition) ? list : readable(list);
}

/** The failed tries so far, of the given generation. */
export function attemptsOf(status: JsonObject, generation: number): number {
  if (getOwn(status, "observedGeneration") !== generation) return 0;
  const { attempts } = reconcileStatusOf(status);
  return typeof attempts === "number" && Number.isSafeInteger(attempts) ? Math.max(0, attempts) : 0;
}

export function textOf(value: Json | undefined): string | undefined {
  return typeof value === "string" ? value : undefined;
}

function readable(list: Json | undefined): readonly Condition[] {
  return isJsonArray(list) ? list.filter(isCondition) : [];
}

function isCondition(value: Json): value is Condition {
  if (!isJsonObject(value)) return false;
  return typeof value["type"] === "string" && typeof value["lastTransitionTime"] === "string";
}

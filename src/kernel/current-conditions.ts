// Whether a condition is about the spec as it is now. Columns, `why`, counts and reconcilers use
// this one decision, which is that of `kubectl wait`: the generation of the condition counts, else
// that of the status. A condition about an earlier generation does not say that anything is True.

import { isJsonArray, isJsonObject } from "./json.ts";
import type { Json, JsonObject } from "./json.ts";
import { numberAt, objectAt, objectsAt, textAt } from "./json-read.ts";

/** The generation that a condition is about; undefined where neither it nor the status says so. */
export function observedGeneration(
  resource: JsonObject,
  condition: JsonObject | undefined,
): number | undefined {
  const own = numberAt(condition, "observedGeneration");
  return own ?? numberAt(resource["status"], "observedGeneration");
}

export function isCurrentCondition(
  resource: JsonObject,
  condition: JsonObject | undefined,
): boolean {
  const observed = observedGeneration(resource, condition);
  return observed === undefined || observed >= (numberAt(resource["metadata"], "generation") ?? 0);
}

/** Whether a condition is True, and about the spec as it is now. */
export function isTrueNow(resource: JsonObject, type: string): boolean {
  const conditions = objectsAt(resource["status"], "conditions");
  const found = conditions.find((condition) => textAt(condition, "type") === type);
  return textAt(found, "status") === "True" && isCurrentCondition(resource, found);
}

/** The reason of a condition that was True for an earlier generation. */
export const specChangedReason = "SpecChanged";
const stale = { status: "Unknown", reason: specChangedReason };

/**
 * The document as columns show it: what was True for an earlier generation is Unknown. Only for
 * resources whose status the engine writes; controllers of other programs have their own rules.
 */
export function withCurrentConditions<T extends JsonObject>(resource: T): T {
  const { status } = resource;
  const conditions = isJsonObject(status) ? status["conditions"] : undefined;
  if (!isJsonArray(conditions) || !isWrittenByEngine(resource)) return resource;
  const isStale = (each: Json): each is JsonObject =>
    isJsonObject(each) && textAt(each, "status") === "True" && !isCurrentCondition(resource, each);
  if (!conditions.some(isStale)) return resource;
  const shown = conditions.map((each) => (isStale(each) ? Object.assign({}, each, stale) : each));
  return { ...resource, status: { ...objectAt(status), conditions: shown } };
}

function isWrittenByEngine({ status }: JsonObject): boolean {
  return isJsonObject(status) && isJsonObject(status["reconcile"]);
}

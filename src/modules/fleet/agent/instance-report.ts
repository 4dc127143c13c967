// The report about an instance, from its object. Pure. A rejection or an error of an earlier spec
// is not reported for a newer one: the control plane would place the instance again.

import type { JsonObject } from "../../../kernel/json.ts";
import { textAt } from "../../../kernel/json-read.ts";
import { shortText } from "../../../kernel/short-text.ts";
import type { ObservedObject } from "./applied-object.ts";
import type { DesiredInstance } from "./desired-instance.ts";

/** Undefined: there is nothing to report yet. */
export function reportOf(
  desired: DesiredInstance,
  observed: ObservedObject | undefined,
): JsonObject | undefined {
  const { placementId } = desired;
  if (desired.isDeleted || observed === undefined || observed.placementId !== placementId) {
    return undefined;
  }
  const { conditions, versions, routes } = observed;
  return {
    placementId,
    conditions: current(observed) ? conditions.map(shownCondition) : [installing],
    versions,
    routes,
  };
}

export function deletedReport({ placementId }: DesiredInstance): JsonObject {
  return { placementId, conditions: [condition("Deleted", "")] };
}

/** The data plane refused the object: it cannot be applied as it is. */
export function refusedReport({ placementId }: DesiredInstance, why: string): JsonObject {
  return { placementId, conditions: [condition("Error", shortText(why, maxMessageChars))] };
}

function current({ conditions, isStale }: ObservedObject): boolean {
  const ready = conditions.find((one) => textAt(one, "type").toLowerCase() === "ready");
  if (ready === undefined) return false;
  return !isStale || textAt(ready, "status").toLowerCase() !== "false";
}

const maxMessageChars = 1_024;

function shownCondition(given: JsonObject): JsonObject {
  return {
    type: textAt(given, "type"),
    status: textAt(given, "status"),
    reason: textAt(given, "reason"),
    message: shortText(textAt(given, "message"), maxMessageChars),
  };
}

function condition(reason: string, message: string): JsonObject {
  return { type: "Ready", status: "False", reason, message };
}

const installing = condition("Installing", "the data plane has not reported a Ready condition");

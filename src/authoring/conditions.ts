// What a reconciler wants to know about a resource that it depends on or owns.

import { isTrue } from "../kernel/conditions.ts";
import type { Condition } from "../kernel/conditions.ts";
import { objectsAt, textAt } from "../kernel/json-read.ts";
import type { Resource } from "../kernel/resource.ts";

/** The conditions in its status, without anything that is none. */
export function conditionsOf({ status }: Resource): readonly Condition[] {
  const found = objectsAt(status, "conditions").filter((each) => textAt(each, "type") !== "");
  return found as unknown as readonly Condition[];
}

/** Whether it can be used now: its condition says so, and about what is wanted of it now. */
export function isReady(resource: Resource): boolean {
  const conditions = conditionsOf(resource);
  const { observedGeneration } = conditions.find(({ type }) => type === "Ready") ?? {};
  const isCurrent = (observedGeneration ?? Infinity) >= (resource.metadata.generation ?? 0);
  return isTrue(conditions, "Ready") && isCurrent;
}

// What a reconciler wants to know about a resource that it depends on or owns.

import type { Condition } from "../kernel/conditions.ts";
import { isTrueNow } from "../kernel/current-conditions.ts";
import { objectsAt, textAt } from "../kernel/json-read.ts";
import type { Resource } from "../kernel/resource.ts";

/** The conditions in its status, without anything that is none. */
export function conditionsOf({ status }: Resource): readonly Condition[] {
  const found = objectsAt(status, "conditions").filter((each) => textAt(each, "type") !== "");
  return found as unknown as readonly Condition[];
}

/** Whether its condition Ready is True, for the spec as it is now. */
export function isReady(resource: Resource): boolean {
  return isTrueNow(resource, "Ready");
}

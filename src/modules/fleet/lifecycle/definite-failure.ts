// Whether a preparation has failed in a way that repetition does not mend: its external system
// refused it, or its reconciler gave up. An outage is repeated soon, and the instance waits. Pure.

import { findCondition } from "../../../kernel/conditions.ts";
import type { Condition } from "../../../kernel/conditions.ts";
import { isTrueAt, objectsAt, textAt, valueAt } from "../../../kernel/json-read.ts";
import type { Resource } from "../../../kernel/resource.ts";

/** The reason; undefined while there is hope. */
export function definiteFailure({ metadata, status }: Resource): string | undefined {
  const conditions = objectsAt(status, "conditions") as unknown as readonly Condition[];
  const synced = findCondition(conditions, "Synced");
  const isSeen = valueAt(status, "observedGeneration") === metadata.generation;
  if (synced?.status !== "False" || !isSeen) return undefined;
  const isFinal = isTrueAt(status, "reconcile", "isFinal");
  // The engine repeats outages soon, and refusals slowly or never.
  const isSoon = textAt(status, "reconcile", "retry") === "soon";
  return isFinal || !isSoon ? synced.message : undefined;
}

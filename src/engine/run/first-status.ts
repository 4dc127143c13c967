// What is said about a resource before its first run has ended, so that whoever waits for its
// conditions or looks at a list sees that somebody is at it. It goes along with the finalizer,
// which is stored before the first run anyway; a kind without one is told of only when its first
// run takes a while (in-progress.ts). Nothing has been observed by then, so it names no generation:
// that tells this word from that of a run.

import { findCondition, setCondition } from "../../kernel/conditions.ts";
import type { Condition } from "../../kernel/conditions.ts";
import type { JsonObject } from "../../kernel/json.ts";
import type { Resource } from "../../kernel/resource.ts";
import { withStatus } from "./document-edits.ts";
import { conditionsOf, readyType, statusOf, syncedType, underWayReason } from "./status.ts";

const reason = underWayReason;
const message = "the first run is in progress";

export function lacksFirstWord(resource: Resource): boolean {
  const isDeleting = resource.metadata.deletionTimestamp !== undefined;
  return !isDeleting && findCondition(conditionsOf(statusOf(resource)), readyType) === undefined;
}

export function withFirstWord(resource: Resource, nowMs: number): Resource {
  if (!lacksFirstWord(resource)) return resource;
  const status = statusOf(resource);
  const ready = { type: readyType, status: "False", reason, message } as const;
  const synced = { type: syncedType, status: "Unknown", reason, message } as const;
  let conditions = setCondition(conditionsOf(status), ready, nowMs);
  // A pause, for one, is told already.
  const isSaid = findCondition(conditions, syncedType) !== undefined;
  if (!isSaid) conditions = setCondition(conditions, synced, nowMs);
  return withStatus(resource, { ...status, conditions });
}

/** The condition Ready, when a run has said it at its end. */
export function readyByRun(status: JsonObject): Condition | undefined {
  const found = findCondition(conditionsOf(status), readyType);
  const isFirst = found?.reason === reason && found.observedGeneration === undefined;
  return isFirst ? undefined : found;
}

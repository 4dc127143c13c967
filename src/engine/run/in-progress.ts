// What is said of a run that takes a while, so that whoever waits for its conditions or looks at a
// list sees what goes on: that it is the first, that it takes back what was made, or that it waits
// no more for what the last one waited for. A run that ends sooner tells more by its end.

import { findCondition, setCondition } from "../../kernel/conditions.ts";
import type { Resource } from "../../kernel/resource.ts";
import { eventsBetween } from "../reporting/events.ts";
import { withStatus } from "./document-edits.ts";
import { lacksFirstWord, withFirstWord } from "./first-status.ts";
import { hasWait, withoutWait } from "./ended-wait.ts";
import type { Run } from "./run.ts";
import { conditionsOf, deletingReason, readyType, statusOf } from "./status.ts";

export const underWayMs = 1_000;

/** Nearly always false: then nobody has to look at the time. */
export function hasWord(run: Run): boolean {
  if (run.reconciler.ownsStatus === true) return false;
  const resource = run.current();
  return hasWait(resource) || (isRemoval(run) ? !saysDeleting(resource) : lacksFirstWord(resource));
}

/** Nobody waits for it. */
export async function sayUnderWay(run: Run): Promise<void> {
  const { ports, parts } = run.around;
  try {
    if (run.phase !== "running" || run.abortCause !== undefined) return;
    let [before, after] = [run.current(), run.current()];
    await run.update((resource) => {
      before = resource;
      after = withWord(run, resource, ports.clock.nowMs());
      return after;
    });
    for (const { type, reason, message } of eventsBetween(before, after)) {
      parts.event(run, type, reason, message);
    }
  } catch (error) {
    ports.log.debug({ error, key: run.key }, "status InProgress not stored");
  }
}

function withWord(run: Run, resource: Resource, nowMs: number): Resource {
  const told = isRemoval(run) ? withDeleting(resource, nowMs) : withFirstWord(resource, nowMs);
  return withoutWait(told);
}

function isRemoval({ plan }: Run): boolean {
  return plan?.what === "remove";
}

function saysDeleting(resource: Resource): boolean {
  return findCondition(conditionsOf(statusOf(resource)), readyType)?.reason === deletingReason;
}

function withDeleting(resource: Resource, nowMs: number): Resource {
  if (saysDeleting(resource)) return resource;
  const status = statusOf(resource);
  const message = "removal in progress";
  const observedGeneration = resource.metadata.generation;
  const said = { status: "False", reason: deletingReason, message, observedGeneration } as const;
  const conditions = setCondition(conditionsOf(status), { type: readyType, ...said }, nowMs);
  return withStatus(resource, { ...status, conditions });
}

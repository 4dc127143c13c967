// An author who corrects a module and starts it again wants to see at once whether that helped. An
// engine that was told so gives nothing on how runs of earlier processes ended: no delay that is
// left over from them, no giving up. What its own runs say counts as ever.

import { isJsonObject } from "../../kernel/json.ts";
import type { Resource } from "../../kernel/resource.ts";
import { planFor } from "./plan.ts";
import type { Plan } from "./plan.ts";
import type { Run } from "./run.ts";
import { reconcileStatusOf, statusOf, textOf } from "./status.ts";

/** What is to be done about the resource of a run, as far as its document tells. */
export function planOf(run: Run, resource: Resource): Plan {
  return planFor(resource, run.reconciler, run.claim.attempts, isOfEarlierProcess(run, resource));
}

/** Whether its last run was of an earlier process, and counts for nothing. */
export function isOfEarlierProcess(
  { around: { ignoredBeforeMs, owner } }: Run,
  resource: Resource,
): boolean {
  if (ignoredBeforeMs === undefined) return false;
  const { lastRun } = reconcileStatusOf(statusOf(resource));
  if (!isJsonObject(lastRun)) return false;
  const startedMs = Date.parse(textOf(lastRun["startedAt"]) ?? "");
  // Times are stored in whole seconds, cut off. A process often starts within a second of the
  // last run of the earlier one, so in that second the name of the worker decides.
  const startSecondMs = Math.floor(ignoredBeforeMs / 1_000) * 1_000;
  if (startedMs === startSecondMs) return textOf(lastRun["worker"]) !== owner;
  return startedMs < startSecondMs;
}

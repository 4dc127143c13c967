/** What a run of a GitOpsDeployment does next. Pure. */
import type { JsonObject } from "../../../kernel/json.ts";
import { numberAt, objectAt, textAt, valueAt } from "../../../kernel/json-read.ts";
import { gitopsLimits } from "../limits.ts";
import type { DecideSync, OperationState, SyncDecision, SyncFacts } from "./operation.ts";
import type { SyncTrigger } from "./operation.ts";

export const decideSync: DecideSync = (facts) => {
  const { operation } = facts;
  if (operation !== undefined && !hasEnded(operation)) return whileRunning(facts, operation);
  const [run] = facts.syncRuns;
  if (run !== undefined) {
    // It has run and has not reported it: its report wakes the deployment.
    if (run.name === operation?.syncRun) return rest("the SyncRun reports its end");
    const held = facts.blockers.find(({ holdsSyncRuns }) => holdsSyncRuns);
    if (held !== undefined) return rest(held.message, held.untilMs);
    return start("SyncRun", run.revision, run.name);
  }
  if (!isAutomated(facts)) return rest("a GitOpsDeploymentSyncRun starts a sync");
  return automated(facts);
};

export function hasEnded({ phase }: Pick<OperationState, "phase">): boolean {
  return phase !== "Running" && phase !== "Terminating";
}

export function isAutomated({ deployment }: Pick<SyncFacts, "deployment">): boolean {
  return textAt(deployment.spec, "type") === "automated";
}

/** When a failed sync is tried again; undefined: never. */
export function retryAfterMs(spec: JsonObject, failures: number): number | undefined {
  const retry = objectAt(spec, "syncPolicy", "retry");
  const limit = numberAt(retry, "limit") ?? gitopsLimits.retryLimit;
  if (limit >= 0 && failures >= limit) return undefined;
  const first = numberAt(retry, "firstSeconds") ?? gitopsLimits.retryFirstSeconds;
  const factor = numberAt(retry, "factor") ?? gitopsLimits.retryFactor;
  const most = numberAt(retry, "mostSeconds") ?? gitopsLimits.retryMostSeconds;
  return Math.min(most, first * factor ** Math.min(failures, 40)) * 1_000;
}

export function timeoutMs(spec: JsonObject): number {
  const seconds = numberAt(spec, "syncPolicy", "timeoutSeconds");
  return (seconds ?? gitopsLimits.syncTimeoutSeconds) * 1_000;
}

function whileRunning(facts: SyncFacts, operation: OperationState): SyncDecision {
  const { deployment, nowMs, source, digest } = facts;
  const stop = (reason: string): SyncDecision => ({ kind: "terminate", operation, reason });
  if (operation.syncRun !== "") {
    const isThere = facts.syncRuns.some(({ name }) => name === operation.syncRun);
    if (!isThere) return stop(`the SyncRun ${operation.syncRun} was deleted`);
  } else if (!isAutomated(facts)) return stop("the type of the deployment is manual now");
  const limitMs = timeoutMs(objectAt(deployment, "spec"));
  if (nowMs - operation.startedAtMs > limitMs) {
    return stop(`the sync did not end within ${limitMs / 1_000} seconds`);
  }
  if (operation.syncRun === "" && operation.revision !== source.commit) {
    return { kind: "replace", operation, reason: `the revision ${source.commit} replaced it` };
  }
  if (operation.digest !== digest) {
    return { kind: "replace", operation, reason: "a change of the deployment replaced it" };
  }
  return { kind: "continue", operation };
}

function automated(facts: SyncFacts): SyncDecision {
  const { operation, plan, source, deployment, nowMs } = facts;
  const { create, update, prune } = plan.counts;
  const hasWork = create + update + prune > 0 || plan.problems.length > 0;
  if (!hasWork) return rest("nothing differs");
  const [blocker] = facts.blockers;
  if (blocker !== undefined) return rest(blocker.message, blocker.untilMs);
  const pinned = textAt(deployment.spec, "pin", "revision");
  const trigger: SyncTrigger = pinned === source.commit ? "Rollback" : "Automated";
  const isSame =
    operation !== undefined &&
    operation.revision === source.commit &&
    operation.digest === facts.digest;
  if (!isSame) return start(trigger, source.commit);
  if (operation.phase !== "Succeeded") {
    const { nextRetryAtMs, retryCount } = operation;
    if (nextRetryAtMs === undefined) return rest(`the sync failed: ${operation.message}`);
    if (nextRetryAtMs > nowMs) return rest("the failed sync is tried again", nextRetryAtMs);
    return start(operation.trigger, source.commit, "", retryCount + 1);
  }
  return selfHeal(facts, operation);
}

/** The objects of a revision that was applied differ again. */
function selfHeal(
  { deployment, source, nowMs, plan }: SyncFacts,
  operation: OperationState,
): SyncDecision {
  if (valueAt(deployment.spec, "syncPolicy", "selfHeal") === false) {
    return rest("live objects differ, and selfHeal is off");
  }
  // Only a refusal that a sync of this revision has not reported yet is worth a sync.
  const { create, update, prune } = plan.counts;
  if (create + update + prune === 0) return rest("nothing can be applied");
  const healed = operation.trigger === "SelfHeal" ? operation.retryCount + 1 : 0;
  const { selfHealFirstSeconds, selfHealMostSeconds } = gitopsLimits;
  const waitMs = Math.min(selfHealMostSeconds, selfHealFirstSeconds * 3 ** Math.min(healed, 10));
  const endedMs = operation.finishedAtMs ?? operation.startedAtMs;
  const isQuiet = nowMs - endedMs > gitopsLimits.selfHealMostSeconds * 2_000;
  const attempts = isQuiet ? 0 : healed;
  const atMs = endedMs + (attempts === 0 ? 0 : waitMs * 1_000);
  if (atMs > nowMs) return rest("live objects differ; they are reverted soon", atMs);
  return start("SelfHeal", source.commit, "", attempts);
}

function start(trigger: SyncTrigger, revision: string, syncRun = "", retryCount = 0): SyncDecision {
  return { kind: "start", trigger, revision, syncRun, retryCount };
}

function rest(reason: string, untilMs?: number): SyncDecision {
  return { kind: "rest", untilMs, reason };
}

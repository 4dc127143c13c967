/**
 * Hooks of a deletion. Those of PreDelete run before the objects are deleted, those of PostDelete
 * after; one that fails keeps the deployment and is tried again. `status.operationState` has how
 * far the deletion is, so that another process goes on with it.
 */
import { again } from "../../../engine/outcome.ts";
import type { Outcome } from "../../../engine/outcome.ts";
import { numberAt, objectAt, objectsAt, textAt } from "../../../kernel/json-read.ts";
import type { Resource } from "../../../kernel/resource.ts";
import { gitopsLimits } from "../limits.ts";
import type { DeploymentFacts, DeploymentProblem } from "../status/deployment-report.ts";
import { stepsOfAgent } from "./agent-sync.ts";
import { compare } from "./compare.ts";
import type { Compared, Stopped } from "./compare.ts";
import { hasEnded, retryAfterMs, timeoutMs } from "./decide.ts";
import { entriesOf, inventoryAfter, inventoryBefore } from "./inventory.ts";
import { writeInventory } from "./inventory-store.ts";
import type { OperationState } from "./operation.ts";
import { operationDocument, operationId, operationIn } from "./operation-document.ts";
import { recordOperation } from "./operation-record.ts";
import { continues, endedOperation } from "./perform.ts";
import type { DeletionPhase } from "./plan.ts";
import { recordsOf } from "./run.ts";
import type { SyncRunOf } from "./run.ts";
import { performSteps } from "./steps.ts";

/** Cleanup: the hooks of PostDelete have ended, and their objects are deleted. */
export type DeletionStage = DeletionPhase | "Prune" | "Cleanup";

/** Of a deletion that runs hooks. Undefined: it has not begun. */
export function deletionOf(resource: Resource): OperationState | undefined {
  const operation = operationIn(objectAt(resource, "status"));
  return operation?.trigger === "Deletion" ? operation : undefined;
}

export function hasDeletionHooks(shards: readonly Resource[]): boolean {
  return shards.flatMap(entriesOf).some(({ hook }) => /\b(?:PreDelete|PostDelete)\b/.test(hook));
}

export function stageOf(operation: OperationState | undefined): DeletionStage {
  if (operation === undefined) return "PreDelete";
  const { phase } = operation.step ?? { phase: "Cleanup" };
  return phase === "PreDelete" || phase === "Prune" || phase === "PostDelete" ? phase : "Cleanup";
}

/** One wave of the hooks of a phase, or the wait before a failed hook is tried again. */
export async function runDeletionHooks(
  run: SyncRunOf,
  phase: DeletionPhase,
  before: OperationState | undefined,
): Promise<Outcome> {
  const isRetry = before?.phase === "Failed";
  if (isRetry) {
    const waitMs = retryWaitMs(run, before);
    if (waitMs > 0) return again(waitMs, failedText(before));
  }
  const isRunning = before !== undefined && !hasEnded(before);
  const operation = isRunning ? before : await startedHooks(run, phase, before);
  const compared = await compareHooks(run, operation, phase);
  if (compared.kind === "stopped") return blocked(run, operation, compared);
  const next = await performHooks(run, compared, operation);
  if (!hasEnded(next)) {
    const text = { reason: phase, message: next.message };
    const afterMs = next.message === "" ? 1 : gitopsLimits.healthPollMs;
    return again(afterMs, { status: statusAfter(run, compared, next), ...text });
  }
  await recordOperation(run, next);
  if (next.phase === "Failed") {
    const failed = { ...next, step: operation.step };
    const problem = problemOf(phase, next.message);
    const status = statusAfter(run, compared, failed, problem);
    return again(Math.max(1, retryWaitMs(run, failed)), { status, ...failedText(failed) });
  }
  const sinceMs = run.context.clock.nowMs();
  const step = phase === "PreDelete" ? ({ phase: "Prune", wave: 0, sinceMs } as const) : undefined;
  return again(1, {
    status: statusAfter(run, compared, { ...next, step }),
    reason: "Deleting",
    message: `the hooks of ${phase} succeeded`,
  });
}

function failedText({ message, step }: OperationState): { reason: string; message: string } {
  return { reason: "DeletionHookFailed", message: problemOf(step?.phase ?? "", message).message };
}

function problemOf(phase: string, message: string): DeploymentProblem {
  const fix =
    "it is tried again, with what the repository has then; without the finalizers of its " +
    "objects, the deployment is deleted without hooks";
  return {
    type: "DeletionError",
    reason: "DeletionHookFailed",
    message: `${phase}: ${message}; ${fix}`,
  };
}

/** As failed syncs wait; after the last attempt, until `syncPolicy.retry` changes. */
function retryWaitMs({ resource, context }: SyncRunOf, operation: OperationState): number {
  const { retryCount, finishedAtMs = 0 } = operation;
  const delayMs = retryAfterMs(objectAt(resource, "spec"), retryCount);
  if (delayMs === undefined) return gitopsLimits.driftSeconds * 1_000;
  return Math.max(0, finishedAtMs + delayMs - context.clock.nowMs());
}

async function startedHooks(
  run: SyncRunOf,
  phase: DeletionPhase,
  before: OperationState | undefined,
): Promise<OperationState> {
  const { resource, context } = run;
  const { uid, generation } = resource.metadata;
  const isRetry = before?.phase === "Failed";
  const last = operationIn(objectAt(resource, "status"));
  const about = {
    trigger: "Deletion",
    syncRun: "",
    revision: appliedCommit(resource) || (last?.revision ?? ""),
    digest: phase,
    retryCount: isRetry ? before.retryCount + 1 : 0,
  } as const;
  const nowMs = context.clock.nowMs();
  const started: OperationState = {
    ...about,
    id: operationId({ ...about, deploymentUid: uid, generation, before: last?.id ?? "" }),
    phase: "Running",
    message: "",
    step: { phase, wave: 0, sinceMs: nowMs },
    results: [],
    // As it is stored, so that a run that reads it computes the same names.
    startedAtMs: Math.floor(nowMs / 1_000) * 1_000,
    finishedAtMs: undefined,
    nextRetryAtMs: undefined,
  };
  await recordOperation(run, started);
  await context.status.patch({ operationState: operationDocument(started) });
  return started;
}

/** The newest revision that can be read: the folder or the branch may be gone from git. */
async function compareHooks(
  run: SyncRunOf,
  operation: OperationState,
  phase: DeletionPhase,
): Promise<Compared | Stopped> {
  const newest = await compare(run, operation, { phase });
  const commit = appliedCommit(run.resource);
  if (newest.kind === "compared" || commit === "") return newest;
  const { source, render } = newest.facts;
  if (source?.kind !== "problem" && render?.kind !== "refused") return newest;
  const applied = await compare(run, operation, { phase, commit });
  return applied.kind === "compared" ? applied : newest;
}

function appliedCommit({ status }: Resource): string {
  return textAt(objectsAt(status, "history").at(-1), "revision");
}

/** The hooks, or what they run on, cannot be read. */
function blocked(run: SyncRunOf, operation: OperationState, stopped: Stopped): Outcome {
  const { facts, againMs = gitopsLimits.driftSeconds * 1_000 } = stopped;
  const [first] = facts.problems ?? [];
  if (first === undefined) {
    return again(againMs, { reason: "Deleting", message: "waits for its hooks to be read" });
  }
  const phase = operation.step?.phase ?? "";
  const problem = problemOf(phase, `the hooks cannot be read: ${first.message}`);
  const { reason, message } = problem;
  return again(againMs, { status: statusAfter(run, stopped, operation, problem), reason, message });
}

/** What is known of the objects stays: only the hooks were compared. */
function statusAfter(
  { resource, ports }: SyncRunOf,
  { facts }: Pick<Compared | Stopped, "facts">,
  operation: OperationState,
  problem?: DeploymentProblem,
): ReturnType<SyncRunOf["ports"]["report"]> {
  const { deployment, namespaceUid, nowMs, source } = facts;
  const known: DeploymentFacts = {
    deployment,
    namespaceUid,
    nowMs,
    operation,
    ...(source === undefined ? {} : { source }),
    problems: problem === undefined ? [] : [problem],
  };
  return ports.report(known, objectAt(resource, "status"));
}

async function performHooks(
  run: SyncRunOf,
  compared: Compared,
  operation: OperationState,
): Promise<OperationState> {
  const { resource, context } = run;
  const { plan, rules, inventory, exchange } = compared;
  const limitMs = timeoutMs(objectAt(resource, "spec"));
  if (context.clock.nowMs() - operation.startedAtMs > limitMs) {
    const late = `the hooks did not end within ${limitMs / 1_000} seconds`;
    return endedOperation(run, operation, "Failed", late);
  }
  const [refused] = plan.problems;
  if (refused !== undefined) return endedOperation(run, operation, "Failed", refused.message);
  const records = recordsOf(run);
  // Before they are created: their objects are deleted with those of the deployment.
  const before = inventoryBefore(inventory.entries, plan);
  const stored = await writeInventory(records, resource, rules.identity, inventory, before);
  // Nothing has run: the first wave is not known yet.
  const { id, results, message, step } = operation;
  const begun = results.length === 0 ? undefined : step;
  const done =
    exchange === undefined
      ? await performSteps({
          ...compared,
          operation: { id, results, message, step: begun },
          continuesAfterErrors: continues(resource),
          waveTimeoutSeconds: numberAt(resource.spec, "syncPolicy", "waveTimeoutSeconds"),
          nowMs: () => context.clock.nowMs(),
        })
      : stepsOfAgent(compared, operation);
  const after = inventoryAfter(before, done);
  await writeInventory(records, resource, rules.identity, stored, after);
  const next = { ...operation, results: done.results };
  if (done.state === "failed") return endedOperation(run, next, "Failed", done.message);
  if (done.state === "done") return endedOperation(run, next, "Succeeded", "the hooks succeeded");
  return { ...next, message: done.message, step: done.step ?? operation.step };
}

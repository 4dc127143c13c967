/**
 * Reconciles GitOpsDeployments. A run compares the target with the revision, decides (decide.ts)
 * and performs at most one wave of a sync (perform.ts).
 */
import { again, done } from "../../../engine/outcome.ts";
import type { Outcome } from "../../../engine/outcome.ts";
import type { Reconciler } from "../../../engine/reconciler.ts";
import { objectAt, textAt } from "../../../kernel/json-read.ts";
import { gitopsLimits } from "../limits.ts";
import { deploymentsKind } from "../names.ts";
import type { DeploymentFacts } from "../status/deployment-report.ts";
import { compare } from "./compare.ts";
import type { Compared } from "./compare.ts";
import { decideSync, hasEnded } from "./decide.ts";
import type { OperationState } from "./operation.ts";
import { operationDocument } from "./operation-document.ts";
import { endedOperation, performWave, restoreInventory, startedOperation } from "./perform.ts";
import { recordOperation } from "./operation-record.ts";
import { removeDeployment } from "./remove.ts";
import type { SyncPorts, SyncRunOf } from "./run.ts";

const runTimeoutMs = 900_000;

export function deploymentReconciler(ports: SyncPorts): Reconciler {
  return {
    kind: deploymentsKind,
    timeoutMs: runTimeoutMs,
    resyncMs: gitopsLimits.driftSeconds * 1_000,
    reconcile: async (resource, context) => await reconcile({ resource, context, ports }),
    remove: async (resource, context) => await removeDeployment({ resource, context, ports }),
  };
}

async function reconcile(run: SyncRunOf): Promise<Outcome> {
  const compared = await compare(run);
  if (compared.kind === "stopped") {
    // A sync cannot go on without its revision or its target. It ends at its limit.
    const operation = await expired(run, compared.operation);
    return reported(run, { ...compared.facts, ...(operation && { operation }) }, compared.againMs);
  }
  const { syncRuns, operation } = compared;
  const decision = decideSync({
    deployment: run.resource,
    source: compared.revision,
    plan: compared.plan,
    digest: compared.digest,
    operation,
    syncRuns,
    blockers: compared.blockers,
    nowMs: run.context.clock.nowMs(),
  });
  switch (decision.kind) {
    case "rest":
      await restoreInventory(run, compared);
      return rested(run, compared, decision.untilMs);
    case "terminate":
    case "replace": {
      const ended = endedOperation(run, decision.operation, "Failed", decision.reason);
      const isFinal = decision.kind === "terminate" && decision.operation.syncRun === "";
      const next = isFinal ? ended : { ...ended, nextRetryAtMs: undefined };
      await recordOperation(run, next);
      return reported(run, { ...compared.facts, operation: next }, 1);
    }
    case "start": {
      const started = startedOperation(run, compared, decision);
      await recordOperation(run, started);
      await run.context.status.patch({ operationState: operationDocument(started) });
      // The names of its hooks follow from its start.
      const hasHooks = compared.plan.objects.some(({ hook }) => hook !== undefined);
      const since = hasHooks ? await compare(run, started) : compared;
      if (since.kind === "compared") return await performed(run, since, started);
      return reported(run, { ...since.facts, operation: started }, since.againMs);
    }
    default:
      return await performed(run, compared, decision.operation);
  }
}

async function performed(
  run: SyncRunOf,
  compared: Compared,
  operation: OperationState,
): Promise<Outcome> {
  const next = await performWave(run, compared, operation);
  if (!hasEnded(next)) {
    const afterMs = next.step === operation.step ? gitopsLimits.healthPollMs : 1;
    return reported(run, { ...compared.facts, operation: next }, afterMs);
  }
  await recordOperation(run, next);
  // What the sync changed is compared again, so that the status shows the result.
  const since = await compare(run, next);
  return since.kind === "stopped"
    ? reported(run, { ...since.facts, operation: next }, since.againMs)
    : rested(run, { ...since, facts: { ...since.facts, operation: next } }, next.nextRetryAtMs);
}

function rested(run: SyncRunOf, compared: Compared, untilMs: number | undefined): Outcome {
  const nowMs = run.context.clock.nowMs();
  const isMoving = compared.facts.objects?.some(({ health }) =>
    ["Progressing", "Missing"].includes(health?.status ?? ""),
  );
  const times = [
    ...(untilMs === undefined ? [] : [Math.max(1, untilMs - nowMs)]),
    ...(isMoving === true ? [gitopsLimits.healthPollMs] : []),
  ];
  return reported(run, compared.facts, times.length === 0 ? undefined : Math.min(...times));
}

/** `againMs` undefined: when something changes, or when live objects are compared again. */
function reported(
  { resource, ports: { report } }: SyncRunOf,
  facts: DeploymentFacts,
  againMs: number | undefined,
): Outcome {
  const status = report(facts, objectAt(resource, "status"));
  if (facts.isPending === true) return done({ status, ready: "keep" });
  const sync = textAt(status, "sync", "status") || "Unknown";
  const health = textAt(status, "health", "status");
  const [problem = sync === "OutOfSync" ? waitOf(facts) : undefined] = facts.problems ?? [];
  const unhealthy = sync === "Synced" && health !== "Healthy";
  const message = problem?.message ?? (unhealthy ? textAt(status, "health", "message") : "");
  const isReady = sync === "Synced" && (health === "" || health === "Healthy");
  const reason = isReady ? "Synced" : (problem?.reason ?? (sync === "Synced" ? health : sync));
  const ready = { status: isReady ? "True" : "False", reason, message } as const;
  return againMs === undefined
    ? done({ status, ready })
    : again(againMs, { status, ready, reason, message });
}

/** Why no sync of what differs starts. */
function waitOf({
  waitingFor: [first] = [],
  window,
}: DeploymentFacts): { readonly reason: string; readonly message: string } | undefined {
  if (first !== undefined) return { reason: "DependencyNotReady", message: first.message };
  return window === undefined ? undefined : { reason: "WindowClosed", message: window };
}

/** A sync that has to stop although nothing can be compared. */
async function expired(
  run: SyncRunOf,
  operation: OperationState | undefined,
): Promise<OperationState | undefined> {
  if (operation === undefined || hasEnded(operation)) return operation;
  const { resource, context } = run;
  const limitMs = gitopsLimits.syncTimeoutSeconds * 1_000;
  if (context.clock.nowMs() - operation.startedAtMs <= limitMs) return operation;
  const message = `the sync of ${resource.metadata.name} could not go on`;
  const ended = endedOperation(run, operation, "Failed", message);
  await recordOperation(run, ended);
  return ended;
}

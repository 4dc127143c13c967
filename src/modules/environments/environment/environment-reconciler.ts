// Reconciles Environments. A run reads the resources and Operations, carries one Operation on, and
// reports what the resources say together. It conducts nothing: resources wait for each other.

import { again, done } from "../../../engine/outcome.ts";
import type { Outcome } from "../../../engine/outcome.ts";
import type { Reconciler } from "../../../engine/reconciler.ts";
import { objectAt, textAt } from "../../../kernel/json-read.ts";
import { planDestruction } from "../destruction/planned.ts";
import { environmentsKind, requestedByAnnotation } from "../names.ts";
import { chooseOperation } from "../operations/choose.ts";
import { hasEnded } from "../operations/operation.ts";
import { completeDeployment } from "../operations/complete.ts";
import { performOperation } from "../operations/perform.ts";
import { createOperation, endOperation, operationsOf } from "../operations/records.ts";
import { patchOperation, pruneOperations, startOperation } from "../operations/records.ts";
import type { OperationRecord, Performed } from "../operations/records.ts";
import { approvalOf } from "../plans/approval.ts";
import { scheduleDrift } from "../destruction/drift-schedule.ts";
import { destroyEnvironment, removeEnvironment } from "./destroy.ts";
import { deploymentDigest, deploymentOf, isDestructionWanted } from "./environment.ts";
import type { Member } from "./members.ts";
import { membersOf, pauseOf } from "./run.ts";
import type { EnvironmentPorts, EnvironmentRun } from "./run.ts";
import { summarise } from "./summary.ts";

export function environmentReconciler(ports: EnvironmentPorts): Reconciler {
  const { intents, meter } = ports;
  return {
    kind: environmentsKind,
    resyncMs: 0,
    reconcile: async (resource, context) =>
      await reconcile({ resource, context, ports, intents, meter }),
    remove: async (resource, context) =>
      await removeEnvironment({ resource, context, ports, intents, meter }),
  };
}

async function reconcile(run: EnvironmentRun): Promise<Outcome> {
  const planned = await planDestruction(run);
  if (planned.kind === "changed") return again(1, { ready: "keep", reason: "Destroying" });
  const pauseMs = pauseOf(run);
  if (pauseMs > 0) return again(pauseMs, { ready: "keep", reason: "Deploying" });
  const startedMs = run.context.clock.nowMs();
  let members = await membersOf(run);
  const { uid } = run.resource.metadata;
  run.ports.summaries.looked(uid, startedMs, run.context.clock.nowMs());
  const operations = await operationsOf(run);
  if (isDestructionWanted(run.resource)) return await destroyEnvironment(run, members, operations);
  let current = operations.find(({ phase }) => phase === "Running");
  current ??= await nextOperation(run, operations);
  let performed: Performed | undefined;
  if (current !== undefined && isReplaced(run, current, operations)) {
    current = await endOperation(run, current, "Superseded", { message: newerChange });
  } else if (current?.phase === "Running") {
    performed = await performOperation(run, current, members);
    ({ operation: current, members } = performed);
  }
  const hasEndedNow = current !== undefined && hasEnded(current.phase);
  await pruneOperations(run, operations, current?.name ?? "");
  const completed =
    current === undefined ? await completeDeployment(run, operations, members) : undefined;
  const hasMore = hasEndedNow || completed !== undefined;
  const drift = hasMore ? undefined : await scheduleDrift(run, operations, members);
  const times = [planned, drift, performed];
  return await outcomeOf(run, { members, current, completed, operations, hasMore, times });
}

const urgent: ReadonlySet<string> = new Set(["Retry", "Rollback"]);

const newerChange = "a newer change replaced it";

/**
 * Drift is compared and repaired again after a change: the change does not wait for it, and neither
 * does what a user requests, because a target may take hours to answer.
 */
function isReplaced(
  { resource }: EnvironmentRun,
  current: OperationRecord,
  operations: readonly OperationRecord[],
): boolean {
  if (current.type !== "CheckDrift" && current.type !== "ReconcileDrift") return false;
  const others = operations.filter(({ name }) => name !== current.name);
  if (others.some(({ type, phase }) => !hasEnded(phase) && urgent.has(type))) return true;
  return chooseOperation(others, deploymentOf(objectAt(resource, "spec"))).kind === "deploy";
}

/** Undefined: there is nothing to do, or the next Operation is not approved. */
async function nextOperation(
  run: EnvironmentRun,
  operations: readonly OperationRecord[],
): Promise<OperationRecord | undefined> {
  const { resource } = run;
  const spec = objectAt(resource, "spec");
  const deployment = deploymentOf(spec);
  const choice = chooseOperation(operations, deployment);
  if (choice.kind === "nothing") return undefined;
  if (choice.kind !== "deploy" && textAt(choice.operation.spec, "cancel") !== "") {
    const fields = { reason: "Cancelled", message: "cancelled before it began" };
    return await endOperation(run, choice.operation, "Cancelled", fields);
  }
  if (choice.kind === "start") return await startOperation(run, choice.operation);
  if (choice.kind === "deploy") {
    for (const old of choice.superseded) {
      await endOperation(run, old, "Superseded", { message: newerChange });
    }
    const generation = resource.metadata.generation ?? 0;
    const created = await createOperation(run, `${resource.metadata.name}.deploy-${generation}`, {
      type: "Deploy",
      requestedBy: resource.metadata.annotations?.[requestedByAnnotation] ?? "",
      deployment: { ...deployment, generation, digest: deploymentDigest(spec) },
    });
    return await startApproved(run, created);
  }
  return await startApproved(run, choice.operation);
}

async function startApproved(
  run: EnvironmentRun,
  operation: OperationRecord,
): Promise<OperationRecord> {
  const approval = await approvalOf(run, operation);
  if (approval.kind === "approved") return await startOperation(run, operation, approval.plan);
  const { reason, message } = approval;
  return await patchOperation(run, operation, { phase: "AwaitingApproval", reason, message });
}

interface Carried {
  readonly members: readonly Member[];
  readonly current: OperationRecord | undefined;
  readonly completed: OperationRecord | undefined;
  readonly operations: readonly OperationRecord[];
  /** Another Operation may begin at once. */
  readonly hasMore: boolean;
  readonly times: readonly ({ readonly againMs?: number | undefined } | undefined)[];
}

async function outcomeOf(run: EnvironmentRun, carried: Carried): Promise<Outcome> {
  const { hasMore, times } = carried;
  const summary = await summarise(run, carried);
  const { status, ready } = summary;
  const delays = [...times.map((each) => each?.againMs), summary.againMs];
  const soonest = Math.min(...delays.map((each) => each ?? Infinity));
  const afterMs = hasMore ? 1 : soonest;
  if (!Number.isFinite(afterMs)) return done({ status, ready, resyncMs: 0 });
  const { reason, message } = ready;
  // A time of its own is exact; a resync is spread.
  return again(afterMs, { status, ready, reason, message: message || textAt(status, "phase") });
}

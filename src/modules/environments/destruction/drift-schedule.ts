// Scheduled drift checks of an Environment, and the repair of what they find where the policy says
// so. A check runs while the Environment is deployed, and never beside another Operation.

import { timeText } from "../../../kernel/clock.ts";
import { numberAt, textAt } from "../../../kernel/json-read.ts";
import { driftOf } from "../environment/members.ts";
import type { Member } from "../environment/members.ts";
import type { EnvironmentRun } from "../environment/run.ts";
import { environmentLimits } from "../limits.ts";
import { hasEnded } from "../operations/operation.ts";
import { createOperation } from "../operations/records.ts";
import type { OperationRecord } from "../operations/records.ts";

export async function scheduleDrift(
  run: EnvironmentRun,
  operations: readonly OperationRecord[],
  members: readonly Member[],
): Promise<{ readonly againMs: number | undefined } | undefined> {
  const { resource, context } = run;
  const seconds = numberAt(resource.spec, "drift", "checkSeconds") ?? 0;
  const isSettled = textAt(resource.status, "phase").startsWith("Deployed");
  const isIdle = operations.every(({ phase }) => hasEnded(phase));
  if (!isSettled || !isIdle) return undefined;
  const nowMs = context.clock.nowMs();
  const accepted = textAt(resource.spec, "drift", "accept");
  const found = driftOf(members, accepted);
  const isRepaired = textAt(resource.spec, "drift", "onDrift") === "Reconcile";
  const environment = resource.metadata.name;
  const last = lastOf(operations, "CheckDrift");
  if (isRepaired && textAt(found, "state") === "Drifted") {
    const repair = lastOf(operations, "ReconcileDrift");
    const checkedAt = textAt(found, "checkedAt");
    if (repair === undefined || textAt(repair.status, "endedAt") < checkedAt) {
      const name = `${environment}.reconcile-drift-${Math.floor(nowMs / 1_000)}`;
      await createOperation(run, name, { type: "ReconcileDrift" });
      return { againMs: 1 };
    }
  }
  if (seconds === 0) return undefined;
  const intervalMs = Math.max(seconds, environmentLimits.minDriftSeconds) * 1_000;
  const since = textAt(last?.status, "startedAt") || textAt(resource.status, "deployed", "at");
  const dueMs = Date.parse(since || timeText(nowMs)) + intervalMs;
  if (dueMs > nowMs) return { againMs: dueMs - nowMs };
  const name = `${environment}.check-drift-${Math.floor(nowMs / 1_000)}`;
  await createOperation(run, name, { type: "CheckDrift" });
  return { againMs: 1 };
}

function lastOf(
  operations: readonly OperationRecord[],
  type: OperationRecord["type"],
): OperationRecord | undefined {
  return operations.findLast((each) => each.type === type);
}

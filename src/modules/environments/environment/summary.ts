// The status of an Environment from its resources, its Operations and its endpoints.

import type { Readiness } from "../../../engine/outcome.ts";
import { timeText } from "../../../kernel/clock.ts";
import type { JsonObject } from "../../../kernel/json.ts";
import {
  hasObject,
  numberAt,
  objectAt,
  objectsAt,
  presentObjectAt,
  textAt,
  textsAt,
} from "../../../kernel/json-read.ts";
import { isChange, newestChange } from "../operations/choose.ts";
import { hasEnded } from "../operations/operation.ts";
import type { OperationRecord } from "../operations/records.ts";
import { healthOf } from "./health.ts";
import { countsOf, driftOf, failuresOf, isBusy } from "./members.ts";
import type { Member } from "./members.ts";
import { phaseFrom, withTransition } from "./phase.ts";
import type { PhaseReport } from "./phase.ts";
import { phaseTexts } from "./phases.ts";
import type { EnvironmentPhase } from "./phases.ts";
import type { EnvironmentRun } from "./run.ts";

export interface SummaryInput {
  readonly members: readonly Member[];
  /** The Operation that was carried on in this run, in its new state. */
  readonly current: OperationRecord | undefined;
  /** A deployment that is complete after it had failed. */
  readonly completed: OperationRecord | undefined;
  /** As they were before. */
  readonly operations: readonly OperationRecord[];
}

export interface Summary {
  readonly status: JsonObject;
  readonly ready: Readiness;
  /** When to look again; undefined: when something changes. */
  readonly againMs: number | undefined;
}

const changing: ReadonlySet<string> = new Set(["Deploy", "Retry", "Rollback"]);

export async function summarise(run: EnvironmentRun, input: SummaryInput): Promise<Summary> {
  const { resource, context } = run;
  const { members, current, completed, operations } = input;
  const before = textAt(resource.status, "phase") as EnvironmentPhase | "";
  const isRunning = current?.phase === "Running";
  const isChanging = isRunning && changing.has(current.type);
  const isNewest = current !== undefined && isChange(current) && hasEnded(current.phase);
  const newest = isNewest ? current : newestChange(operations);
  const failures = failuresOf(members);
  const counts = countsOf(members);
  const busy = isBusy(members);
  const isSettled = !isChanging && !busy && failures.length === 0;
  const health = await healthOf(run, members, isSettled);
  const report = phaseFrom({
    isDestroying: false,
    isRemoved: false,
    isAwaitingApproval: current?.phase === "AwaitingApproval",
    wasDeployed: presentObjectAt(resource.status, "deployed") !== undefined,
    isChanging,
    isBusy: busy,
    failures: failures.map((each) => ({
      resource: textAt(each, "resource"),
      reason: textAt(each, "reason"),
    })),
    blocked: counts.waiting,
    health: health.verdict,
    healthMessage: health.message,
    operationProblem: problemOf(newest),
    before: before === "" ? undefined : before,
  });
  const status: JsonObject = {
    ...statusOf(run, report, current?.name ?? ""),
    health: health.status,
    drift: driftOf(members, textAt(resource.spec, "drift", "accept")) ?? null,
    resources: { ...counts, drifted: driftedOf(members) },
    failures: failures.length === 0 ? null : failures,
    operation: isRunning || current?.phase === "AwaitingApproval" ? current.name : null,
    ...(hasEnded(current?.phase ?? "") ? { lastOperation: current?.name ?? null } : {}),
    ...deployedOf(run, completed ?? current),
    entryPoints: health.entryPoints,
  };
  const ready: Readiness = {
    status: report.phase === "DeployedOk" ? "True" : "False",
    reason: report.phase === "DeployedOk" ? "Deployed" : report.reason,
    message: report.message,
  };
  const isPassing = report.reason === "Validating" && health.verdict === "healthy";
  context.log.debug({ phase: report.phase, reason: report.reason }, "environment summarised");
  return { status, ready, againMs: isPassing ? 1 : health.againMs };
}

/** Why the newest deployment could not be expanded, or that it was cancelled before it began. */
function problemOf(newest: OperationRecord | undefined): string {
  const isCancelled = newest?.type === "Deploy" && newest.phase === "Cancelled";
  if (isCancelled && !hasObject(newest.status, "changes")) {
    return "the deployment was cancelled before all resources existed: change the Environment";
  }
  if (newest?.type !== "Deploy" || newest.phase !== "Failed") return "";
  return textAt(newest.status, "reason") === "InvalidDeployment"
    ? textAt(newest.status, "message")
    : "";
}

function driftedOf(members: readonly Member[]): number {
  return members.filter(({ resource }) => {
    return textAt(resource.status, "drift", "state") === "Drifted";
  }).length;
}

/** The parts that every phase has, with the transitions. */
export function statusOf(
  { resource, context }: EnvironmentRun,
  report: PhaseReport,
  operation: string,
): JsonObject {
  const at = timeText(context.clock.nowMs());
  const transitions = objectsAt(resource.status, "transitions");
  const { creationTimestamp } = resource.metadata as { readonly creationTimestamp?: string };
  const planned = textAt(resource.spec, "plannedDestruction", "at");
  return {
    phase: report.phase,
    statusText: phaseTexts[report.phase],
    reason: report.reason,
    message: report.message === "" ? null : report.message,
    createdAt: creationTimestamp ?? at,
    plannedDestructionAt: planned === "" ? null : planned,
    transitions: withTransition(transitions, report, at, operation),
  };
}

/** What the last complete deployment consists of. */
function deployedOf({ context }: EnvironmentRun, current: OperationRecord | undefined): JsonObject {
  const isComplete =
    current?.phase === "Succeeded" || textAt(current?.status, "completedAt") !== "";
  if (current?.type !== "Deploy" || !isComplete) return {};
  const deployment = objectAt(current.spec, "deployment");
  return {
    destroyedAt: null,
    deployed: {
      operation: current.name,
      templates: textsAt(deployment, "templates"),
      digest: textAt(deployment, "digest"),
      at: timeText(context.clock.nowMs()),
      generation: numberAt(deployment, "generation") ?? 0,
    },
  };
}

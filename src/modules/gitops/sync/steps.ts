/**
 * Performs the steps of a plan, at most one wave with writes. It knows neither the store nor the
 * engine: the agent of a pulling cluster runs it as well.
 */
import type { JsonObject } from "../../../kernel/json.ts";
import { referenceKey } from "../object-reference.ts";
import type { HealthRules } from "../status/health.ts";
import type { Target } from "../targets/target.ts";
import { executeStep } from "./execute.ts";
import type { OperationState, OperationStep, SyncResult } from "./operation.ts";
import type { Plan, PlanStep } from "./plan.ts";

export interface StepsInput {
  readonly plan: Plan;
  readonly target: Target;
  /** By `referenceKey`, as the plan saw them. */
  readonly live: ReadonlyMap<string, JsonObject>;
  readonly health: HealthRules;
  readonly operation: Pick<OperationState, "id" | "results" | "step" | "message">;
  readonly continuesAfterErrors: boolean;
  readonly waveTimeoutSeconds: number | undefined;
  readonly nowMs: () => number;
}

export interface StepsReport {
  readonly state: "running" | "failed" | "done";
  readonly message: string;
  readonly results: readonly SyncResult[];
  /** Of a running sync. */
  readonly step: OperationStep | undefined;
  /** By `referenceKey`. */
  readonly applied: ReadonlyMap<string, { readonly uid: string; readonly digest: string }>;
  /** References of deleted objects. */
  readonly removed: ReadonlySet<string>;
  /** See settled-objects.ts. */
  readonly settled: ReadonlyMap<string, string>;
}

export async function performSteps(input: StepsInput): Promise<StepsReport> {
  const { plan, operation, nowMs } = input;
  if (operation.step?.phase === "SyncFail") return await afterFailure(input);
  const report = await inOrder(input, plan.steps);
  const [first] = plan.onFailure;
  if (report.state !== "failed" || first === undefined) return report;
  const step = { phase: first.phase, wave: first.wave, sinceMs: nowMs() };
  return { ...report, state: "running", step };
}

/** The hooks of SyncFail. The message of the sync stays the cause of its failure. */
async function afterFailure(input: StepsInput): Promise<StepsReport> {
  const { message } = input.operation;
  const report = await inOrder(input, input.plan.onFailure);
  switch (report.state) {
    case "running":
      return { ...report, message };
    case "done":
      return { ...report, state: "failed", message };
    case "failed":
      return { ...report, message: `${message}; ${report.message}` };
    default:
      return report.state satisfies never;
  }
}

async function inOrder(input: StepsInput, steps: readonly PlanStep[]): Promise<StepsReport> {
  const { operation, nowMs } = input;
  const applied = new Map<string, { readonly uid: string; readonly digest: string }>();
  const removed = new Set<string>();
  const settled = new Map<string, string>();
  let { results } = operation;
  const report = (
    state: StepsReport["state"],
    message: string,
    step?: OperationStep,
  ): StepsReport => ({ state, message, results, step, applied, removed, settled });
  for (let at = firstStep(steps, operation); at < steps.length; at += 1) {
    const step = steps[at];
    if (step === undefined) break;
    const done = await executeStep({
      ...input,
      step,
      results,
      operationId: operation.id,
      waitsForHealth: at + 1 < steps.length,
    });
    results = merged(results, done.results);
    for (const [key, change] of done.applied) applied.set(key, change);
    for (const [key, mark] of done.settled) settled.set(key, mark);
    if (done.state === "done") {
      const deleted = step.prunes.filter(({ isSkipped }) => !isSkipped);
      for (const prune of deleted) removed.add(referenceKey(prune.at));
    }
    if (done.state === "failed") return report("failed", done.message);
    const sinceMs = nowMs();
    if (done.state === "waiting") {
      const { step: earlier } = operation;
      const isSame = earlier?.phase === step.phase && earlier.wave === step.wave;
      const place = isSame ? earlier : { phase: step.phase, wave: step.wave, sinceMs };
      const late = lateWave(input, place);
      if (late !== undefined) return report("failed", `${late}: ${done.message}`);
      return report("running", done.message, place);
    }
    const following = steps[at + 1];
    if (done.hasWritten && following !== undefined) {
      return report("running", "", { phase: following.phase, wave: following.wave, sinceMs });
    }
  }
  return report("done", "");
}

/** Why a wave has taken too long. */
function lateWave(
  { waveTimeoutSeconds: seconds, nowMs }: StepsInput,
  step: OperationStep,
): string | undefined {
  if (seconds === undefined || nowMs() - step.sinceMs <= seconds * 1_000) return undefined;
  return `the wave ${step.wave} of ${step.phase} did not end within ${seconds} seconds`;
}

const phases: readonly OperationStep["phase"][] = ["PreSync", "Sync", "PostSync", "SyncFail"];

function firstStep(steps: readonly PlanStep[], { step }: Pick<OperationState, "step">): number {
  if (step === undefined) return 0;
  const order = phases.indexOf(step.phase);
  const found = steps.findIndex(({ phase, wave }) => {
    const index = phases.indexOf(phase);
    return index > order || (index === order && wave >= step.wave);
  });
  return found < 0 ? steps.length : found;
}

/** Newer results replace those of the same object in the same phase. */
function merged(old: readonly SyncResult[], newer: readonly SyncResult[]): readonly SyncResult[] {
  const all = new Map(old.map((result) => [resultKey(result), result]));
  for (const result of newer) {
    const earlier = all.get(resultKey(result));
    // Unchanged is no news about an object that this sync wrote.
    if (earlier?.status === "Synced" && result.message === "unchanged") continue;
    all.set(resultKey(result), result);
  }
  return [...all.values()];
}

function resultKey({ at, syncPhase }: SyncResult): string {
  return `${syncPhase} ${referenceKey(at)}`;
}

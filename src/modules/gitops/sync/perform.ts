/** Performs one wave of a sync and stores the result. Calls of the target are in execute.ts. */
import { numberAt, objectAt } from "../../../kernel/json-read.ts";
import { referenceKey } from "../object-reference.ts";
import { syncsMetric, syncSecondsMetric } from "../metrics.ts";
import type { Compared } from "./compare.ts";
import { retryAfterMs } from "./decide.ts";
import { executeStep } from "./execute.ts";
import { inventoryAfter, inventoryBefore, lostEntries } from "./inventory.ts";
import { abandon, writeInventory } from "./inventory-store.ts";
import type { OperationState, OperationStep, SyncDecision, SyncResult } from "./operation.ts";
import { operationId } from "./operation-document.ts";
import type { InventoryEntry, Plan, PlanStep, SyncPhase } from "./plan.ts";
import { recordsOf } from "./run.ts";
import type { SyncRunOf } from "./run.ts";

export function startedOperation(
  { resource, context }: SyncRunOf,
  { digest, operation, revision }: Compared,
  { trigger, syncRun, retryCount }: SyncDecision & { readonly kind: "start" },
): OperationState {
  const { uid, generation } = resource.metadata;
  const about = { trigger, syncRun, revision: revision.commit, digest, retryCount };
  const id = operationId({
    ...about,
    deploymentUid: uid,
    generation,
    before: operation?.id ?? "",
  });
  const rounded = Math.floor(context.clock.nowMs() / 1_000) * 1_000;
  return {
    ...about,
    id,
    phase: "Running",
    message: "",
    step: undefined,
    results: [],
    // As it is stored, so that a run that reads it computes the same names.
    startedAtMs: rounded,
    finishedAtMs: undefined,
    nextRetryAtMs: undefined,
  };
}

export function endedOperation(
  { resource, context, ports }: SyncRunOf,
  operation: OperationState,
  phase: "Succeeded" | "Failed",
  message: string,
): OperationState {
  const nowMs = context.clock.nowMs();
  const { trigger, startedAtMs, syncRun, retryCount } = operation;
  const delayMs =
    phase === "Failed" && syncRun === ""
      ? retryAfterMs(objectAt(resource, "spec"), retryCount)
      : undefined;
  const { meter } = ports.ports;
  meter.count(syncsMetric, { trigger, phase });
  meter.observe(syncSecondsMetric, (nowMs - startedAtMs) / 1_000, { trigger });
  return {
    ...operation,
    phase,
    message,
    step: undefined,
    finishedAtMs: nowMs,
    nextRetryAtMs: delayMs === undefined ? undefined : nowMs + delayMs,
  };
}

/** At most one wave with writes. Waves that are complete take no run of their own. */
export async function performWave(
  run: SyncRunOf,
  compared: Compared,
  operation: OperationState,
): Promise<OperationState> {
  const { resource } = run;
  const { plan, rules, target, live, health, inventory } = compared;
  const stop = errorThatStops(run, plan);
  if (stop !== undefined) return endedOperation(run, operation, "Failed", stop);
  const ports = recordsOf(run);
  await abandon(ports, inventory.earlier);
  const { identity } = rules;
  let entries = inventoryBefore(known(inventory.entries, plan), plan);
  let stored = await writeInventory(ports, resource, identity, inventory, entries);
  const steps = plan.steps;
  let results = operation.results;
  for (let at = firstStep(steps, operation); at < steps.length; at += 1) {
    const step = steps[at];
    if (step === undefined) break;
    const done = await executeStep({
      target,
      step,
      live,
      health,
      results,
      operationId: operation.id,
      waitsForHealth: at + 1 < steps.length,
      continuesAfterErrors: continues(resource),
    });
    results = merged(results, done.results);
    run.ports.settled.add(resource.metadata.uid, done.settled);
    const removed = new Set(
      done.state === "done"
        ? step.prunes.filter(({ isSkipped }) => !isSkipped).map((prune) => referenceKey(prune.at))
        : [],
    );
    entries = inventoryAfter(entries, { applied: done.applied, removed });
    stored = await writeInventory(ports, resource, identity, stored, entries);
    const next = { ...operation, results };
    if (done.state === "failed") return endedOperation(run, next, "Failed", done.message);
    const sinceMs = run.context.clock.nowMs();
    if (done.state === "waiting") {
      const { step: earlier } = operation;
      const isSame = earlier?.phase === step.phase && earlier.wave === step.wave;
      const place = isSame ? earlier : { phase: step.phase, wave: step.wave, sinceMs };
      const late = lateWave(run, place);
      if (late !== undefined) {
        return endedOperation(run, next, "Failed", `${late}: ${done.message}`);
      }
      return { ...next, message: done.message, step: place };
    }
    const following = steps[at + 1];
    if (done.hasWritten && following !== undefined) {
      const place = { phase: following.phase, wave: following.wave, sinceMs };
      return { ...next, message: "", step: place };
    }
  }
  const [problem] = plan.problems;
  const last = { ...operation, results };
  return problem === undefined
    ? endedOperation(run, last, "Succeeded", successText(plan))
    : endedOperation(run, last, "Failed", problem.message);
}

/** Why a wave has taken too long. */
function lateWave({ resource, context }: SyncRunOf, step: OperationStep): string | undefined {
  const seconds = numberAt(resource.spec, "syncPolicy", "waveTimeoutSeconds");
  if (seconds === undefined) return undefined;
  if (context.clock.nowMs() - step.sinceMs <= seconds * 1_000) return undefined;
  return `the wave ${step.wave} of ${step.phase} did not end within ${seconds} seconds`;
}

/** While no sync runs. Without its entry, an object would not be removed with the deployment. */
export async function restoreInventory(run: SyncRunOf, compared: Compared): Promise<void> {
  const { resource } = run;
  const { inventory, plan, live, rules } = compared;
  const lost = lostEntries(inventory.entries, plan, live, resource.metadata.uid);
  if (lost.length === 0) return;
  const entries = [...inventory.entries, ...lost];
  await writeInventory(recordsOf(run), resource, rules.identity, inventory, entries);
}

function successText({ held, counts }: Plan): string {
  const text = `${counts.create} created, ${counts.update} configured, ${counts.prune} deleted`;
  return held === undefined ? text : `${text}; ${held.prunes.length} deletions wait`;
}

/** Before the first write of a revision. */
function errorThatStops({ resource }: SyncRunOf, { problems }: Plan): string | undefined {
  const fatal = problems.find(({ kind }) => kind === "TooMany");
  if (fatal !== undefined) return fatal.message;
  const [first] = problems;
  if (first === undefined || continues(resource)) return undefined;
  const more = problems.length > 1 ? ` (and ${problems.length - 1} more)` : "";
  return `${first.message}${more}`;
}

function continues({ spec }: SyncRunOf["resource"]): boolean {
  return objectAt(spec, "syncPolicy")["onError"] === "Continue";
}

/** Without entries of objects that neither exist nor are in git. */
function known(entries: readonly InventoryEntry[], plan: Plan): readonly InventoryEntry[] {
  const kept = new Set<string>();
  for (const { at } of [...plan.objects, ...plan.prunes]) kept.add(referenceKey(at));
  for (const { at } of plan.problems) if (at !== undefined) kept.add(referenceKey(at));
  return entries.filter(({ at }) => kept.has(referenceKey(at)));
}

const phases: readonly SyncPhase[] = ["PreSync", "Sync", "PostSync"];

function firstStep(steps: readonly PlanStep[], { step }: OperationState): number {
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

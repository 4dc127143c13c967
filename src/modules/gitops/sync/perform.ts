/** Performs one wave of a sync and stores the result. Calls of the target are in execute.ts. */
import { numberAt, objectAt, textAt } from "../../../kernel/json-read.ts";
import type { Resource } from "../../../kernel/resource.ts";
import { referenceKey } from "../object-reference.ts";
import { syncsMetric, syncSecondsMetric } from "../metrics.ts";
import { stepsOfAgent } from "./agent-sync.ts";
import type { Compared } from "./compare.ts";
import { retryAfterMs } from "./decide.ts";
import { actionOf, deleteBundles } from "../targets/bundle-exchange.ts";
import { inventoryAfter, inventoryBefore, lostEntries, targetIn } from "./inventory.ts";
import { abandon, writeInventory } from "./inventory-store.ts";
import type { OperationState, SyncDecision } from "./operation.ts";
import { operationId } from "./operation-document.ts";
import type { InventoryEntry, Plan } from "./plan.ts";
import { recordsOf } from "./run.ts";
import type { SyncRunOf } from "./run.ts";
import { performSteps } from "./steps.ts";

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
  const { resource, context } = run;
  const { plan, rules, inventory, exchange } = compared;
  const stop = errorThatStops(run, plan);
  if (stop !== undefined) return endedOperation(run, operation, "Failed", stop);
  const ports = recordsOf(run);
  const { identity } = rules;
  await abandon(ports, inventory.earlier);
  if (inventory.earlier.some((shard) => targetIn(shard).kind === "Agent")) {
    // The deployment has moved: another cluster, or none, has its bundle now.
    const isKept = (bundle: Resource): boolean =>
      actionOf(bundle) === "Remove" || textAt(bundle.spec, "environment") === identity.environment;
    await deleteBundles(ports, resource.metadata.uid, isKept);
  }
  const before = inventoryBefore(known(inventory.entries, plan), plan);
  const stored = await writeInventory(ports, resource, identity, inventory, before);
  const done =
    exchange === undefined
      ? await performSteps({
          ...compared,
          operation,
          continuesAfterErrors: continues(resource),
          waveTimeoutSeconds: numberAt(resource.spec, "syncPolicy", "waveTimeoutSeconds"),
          nowMs: () => context.clock.nowMs(),
        })
      : stepsOfAgent(compared, operation);
  run.ports.settled.add(resource.metadata.uid, done.settled);
  const after = inventoryAfter(before, done);
  await writeInventory(ports, resource, identity, stored, after);
  const { state, message, results, step } = done;
  const next = { ...operation, results, step };
  if (state === "failed") return endedOperation(run, next, "Failed", message);
  if (state === "running") return { ...next, message };
  const [problem] = plan.problems;
  return problem === undefined
    ? endedOperation(run, next, "Succeeded", successText(plan))
    : endedOperation(run, next, "Failed", problem.message);
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

/** Whether objects that are refused do not stop the others. */
export function continues({ spec }: SyncRunOf["resource"]): boolean {
  return objectAt(spec, "syncPolicy")["onError"] === "Continue";
}

/** Without entries of objects that neither exist nor are in git. */
function known(entries: readonly InventoryEntry[], plan: Plan): readonly InventoryEntry[] {
  const kept = new Set<string>();
  for (const { at } of [...plan.objects, ...plan.prunes]) kept.add(referenceKey(at));
  for (const { at } of plan.problems) if (at !== undefined) kept.add(referenceKey(at));
  return entries.filter(({ at }) => kept.has(referenceKey(at)));
}

/**
 * Performs one step of a plan in a target. It knows neither the store nor the engine, so that the
 * agent of a pulling cluster runs the same code. Idempotent: a step that was cut off is repeated.
 */
import type { JsonObject } from "../../../kernel/json.ts";
import { objectAt, textAt } from "../../../kernel/json-read.ts";
import { gitopsLimits } from "../limits.ts";
import { hookOperationAnnotation } from "../names.ts";
import { referenceKey, referenceText } from "../object-reference.ts";
import type { HealthRules } from "../status/health.ts";
import type { Target, TargetProblem } from "../targets/target.ts";
import type { SyncResult } from "./operation.ts";
import { rankOf } from "./order.ts";
import { inParallel } from "./parallel.ts";
import type { PlannedObject, PlannedPrune, PlanStep } from "./plan.ts";
import { settledMark } from "./settled-objects.ts";

export interface StepInput {
  readonly target: Target;
  readonly step: PlanStep;
  /** By `referenceKey`, as the plan saw them. */
  readonly live: ReadonlyMap<string, JsonObject>;
  readonly health: HealthRules;
  /** Results of earlier runs of the sync. */
  readonly results: readonly SyncResult[];
  /** Of the sync. Hooks that it created are known by it, also in another process. */
  readonly operationId: string;
  /** Whether a further step waits for the health of the objects of this one. */
  readonly waitsForHealth: boolean;
  readonly continuesAfterErrors: boolean;
}

export interface StepReport {
  readonly state: "done" | "waiting" | "failed";
  readonly message: string;
  readonly results: readonly SyncResult[];
  /** By `referenceKey`. */
  readonly applied: ReadonlyMap<string, { readonly uid: string; readonly digest: string }>;
  /** Marks of the objects that were written (settled-objects.ts), by `referenceKey`. */
  readonly settled: ReadonlyMap<string, string>;
  /** Whether anything was written. */
  readonly hasWritten: boolean;
}

export async function executeStep(input: StepInput): Promise<StepReport> {
  const step = new StepRun(input);
  await step.prune();
  await step.apply();
  return step.report();
}

class StepRun {
  readonly #input: StepInput;
  readonly #results: SyncResult[] = [];
  readonly #applied = new Map<string, { readonly uid: string; readonly digest: string }>();
  readonly #settled = new Map<string, string>();
  readonly #waits: string[] = [];
  readonly #failures: string[] = [];
  #hasWritten = false;

  constructor(input: StepInput) {
    this.#input = input;
  }

  async prune(): Promise<void> {
    const { step } = this.#input;
    await inParallel(step.prunes, gitopsLimits.targetCallsAtOnce, async (prune) => {
      await this.#pruneOne(prune);
    });
  }

  async apply(): Promise<void> {
    const { step, continuesAfterErrors } = this.#input;
    const ranks = [...new Set(step.objects.map(({ at }) => rankOf(at)))];
    for (const rank of ranks) {
      if (this.#failures.length > 0 && !continuesAfterErrors) return;
      const some = step.objects.filter(({ at }) => rankOf(at) === rank);
      await inParallel(some, gitopsLimits.targetCallsAtOnce, async (object) => {
        if (object.hook === undefined) await this.#applyOne(object);
        else await this.#runHook(object);
      });
    }
  }

  report(): StepReport {
    const failures = this.#failures;
    const isFailed = failures.length > 0 && this.#waits.length === 0;
    const first = isFailed ? failures : this.#waits;
    const more = first.length > 1 ? ` (and ${first.length - 1} more)` : "";
    return {
      state: isFailed ? "failed" : this.#waits.length > 0 ? "waiting" : "done",
      message: `${first[0] ?? ""}${more}`,
      results: this.#results,
      applied: this.#applied,
      settled: this.#settled,
      hasWritten: this.#hasWritten,
    };
  }

  async #pruneOne({ at, uid, propagation, isSkipped, isDeleting }: PlannedPrune): Promise<void> {
    const text = referenceText(at);
    if (isSkipped) {
      this.#add(at, "PruneSkipped", "it is not in git, and pruning is off for it");
      return;
    }
    if (!isDeleting) {
      const deleted = await this.#input.target.delete(at, uid, propagation);
      if (deleted.kind === "problem") {
        this.#problem(at, deleted);
        return;
      }
      this.#hasWritten = true;
      if (deleted.isAbsent) {
        this.#add(at, "Pruned", "deleted");
        return;
      }
    }
    this.#add(at, "Pruned", "deletion has begun");
    this.#waits.push(`${text} is being deleted`);
  }

  async #applyOne(planned: PlannedObject): Promise<void> {
    const { at, object, action, digest, isReplaced } = planned;
    const key = referenceKey(at);
    let live = this.#input.live.get(key);
    if (action !== "unchanged") {
      const applied = await this.#input.target.apply(at, object, { isDryRun: false, isReplaced });
      if (applied.kind === "problem") {
        this.#problem(at, applied);
        return;
      }
      live = applied.object;
      this.#settled.set(key, settledMark(object, live));
      this.#hasWritten = true;
    }
    const verb = { create: "created", update: "configured", unchanged: "unchanged" }[action];
    this.#add(at, "Synced", verb);
    if (planned.isNamespace !== true) {
      this.#applied.set(key, { uid: textAt(live, "metadata", "uid"), digest });
    }
    this.#waitForHealth(planned, live);
  }

  #waitForHealth({ at }: PlannedObject, live: JsonObject | undefined): void {
    if (!this.#input.waitsForHealth) return;
    const health = this.#input.health.assess(at, live);
    if (health === undefined || health.status === "Healthy") return;
    const why = health.message === "" ? "" : `: ${health.message}`;
    const message = `${referenceText(at)} is ${health.status}${why}`;
    if (health.status === "Degraded") this.#failures.push(message);
    else this.#waits.push(message);
  }

  /**
   * A hook that ended stays ended, also when its object was deleted since. Its object is deleted
   * after its end is stored: a process that is killed between them does not run it again.
   */
  async #runHook(planned: PlannedObject): Promise<void> {
    const { at, digest } = planned;
    const { step, health } = this.#input;
    const key = referenceKey(at);
    const found = this.#input.live.get(key);
    const earlier = this.#input.results.find(
      (each) => each.syncPhase === step.phase && referenceKey(each.at) === key,
    );
    const phase = earlier?.hookPhase;
    if (earlier !== undefined && (phase === "Succeeded" || phase === "Failed")) {
      this.#results.push(earlier);
      if (phase === "Failed") this.#failures.push(earlier.message);
      await this.#deleteEnded(planned, found, phase);
      return;
    }
    const live = phase === undefined ? await this.#startHook(planned, found) : found;
    if (live === "not yet") return;
    if (live !== undefined) {
      this.#applied.set(key, { uid: textAt(live, "metadata", "uid"), digest });
    }
    // Without an object it vanished while it ran, such as a Job with a time to live.
    const assessed = live === undefined ? undefined : health.assess(at, live);
    const text = referenceText(at);
    if (assessed === undefined || assessed.status === "Healthy") {
      this.#addHook(planned, "Succeeded", "the hook succeeded");
      if (isDeletedAfter(planned, live, "Succeeded")) this.#waits.push(`the hook ${text} ended`);
    } else if (assessed.status === "Degraded") {
      this.#addHook(planned, "Failed", `the hook ${text} failed: ${assessed.message}`);
      this.#failures.push(`the hook ${text} failed: ${assessed.message}`);
      if (isDeletedAfter(planned, live, "Failed")) this.#waits.push(`the hook ${text} ended`);
    } else {
      this.#addHook(planned, "Running", assessed.message);
      this.#waits.push(`the hook ${text} is running`);
    }
  }

  /** Its object, which may exist already: a process that was killed created it for this sync. */
  async #startHook(
    planned: PlannedObject,
    live: JsonObject | undefined,
  ): Promise<JsonObject | "not yet"> {
    const { at, object, hook } = planned;
    const { target, operationId, step } = this.#input;
    // Of one that runs in several phases, each has an object of its own.
    const mark = (hook?.phases.length ?? 0) > 1 ? `${operationId}.${step.phase}` : operationId;
    if (live !== undefined) {
      const isStarted = textAt(live, "metadata", "annotations", hookOperationAnnotation) === mark;
      if (isStarted) return live;
      if (hook?.deletion.includes("BeforeHookCreation") === true) {
        const isReady = await this.#deleteEarlier(planned, live);
        if (!isReady) return "not yet";
      }
    }
    const applied = await target.apply(at, marked(object, mark), { isDryRun: false });
    if (applied.kind === "problem") {
      this.#problem(at, applied);
      return "not yet";
    }
    this.#hasWritten = true;
    return applied.object;
  }

  /** Whether the object of an earlier sync does not exist any more. */
  async #deleteEarlier({ at }: PlannedObject, live: JsonObject): Promise<boolean> {
    const uid = textAt(live, "metadata", "uid");
    const deleted = await this.#input.target.delete(at, uid, "Background");
    if (deleted.kind === "problem") {
      this.#problem(at, deleted);
      return false;
    }
    this.#hasWritten = true;
    if (!deleted.isAbsent) this.#waits.push(`${referenceText(at)} of an earlier sync is deleted`);
    return deleted.isAbsent;
  }

  async #deleteEnded(
    planned: PlannedObject,
    live: JsonObject | undefined,
    phase: "Succeeded" | "Failed",
  ): Promise<void> {
    if (live === undefined || !isDeletedAfter(planned, live, phase)) return;
    const uid = textAt(live, "metadata", "uid");
    const deleted = await this.#input.target.delete(planned.at, uid, "Background");
    if (deleted.kind === "problem") this.#problem(planned.at, deleted);
  }

  /** A problem that can pass is tried again by the next run. */
  #problem(at: SyncResult["at"], { isFinal, message }: TargetProblem): void {
    const text = `${referenceText(at)}: ${message}`;
    this.#add(at, "SyncFailed", message);
    if (isFinal) this.#failures.push(text);
    else this.#waits.push(text);
  }

  #add(at: SyncResult["at"], status: SyncResult["status"], message: string): void {
    this.#results.push({ at, status, message, syncPhase: this.#input.step.phase });
  }

  #addHook({ at }: PlannedObject, hookPhase: SyncResult["hookPhase"], message: string): void {
    const syncPhase = this.#input.step.phase;
    const status = hookPhase === "Failed" ? "SyncFailed" : "Synced";
    const result = { at, status, message, syncPhase } as const;
    this.#results.push(hookPhase === undefined ? result : { ...result, hookPhase });
  }
}

function isDeletedAfter(
  { hook }: PlannedObject,
  live: JsonObject | undefined,
  phase: "Succeeded" | "Failed",
): boolean {
  return live !== undefined && hook?.deletion.includes(`Hook${phase}`) === true;
}

function marked(object: JsonObject, mark: string): JsonObject {
  const metadata = objectAt(object, "metadata");
  const annotations = {
    ...objectAt(metadata, "annotations"),
    [hookOperationAnnotation]: mark,
  };
  return { ...object, metadata: { ...metadata, annotations } };
}

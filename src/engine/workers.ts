// The middle of the engine: what was claimed is loaded in one read, planned, waits for its turn,
// runs, and goes to the paperwork. Only what runs holds a slot. Whatever a reconciler does, its run
// ends: it is told when its lease is lost, its time is up or the server stops, and when it does not
// listen it is given up, its slot is used by others and its lease is left to expire.

import { isSetpointError } from "../kernel/errors.ts";
import { limits } from "../kernel/limits.ts";
import type { ResourceKey } from "../kernel/resource.ts";
import type { Claim, ClaimRequest, StoredRecord } from "../store/port.ts";
import { Deadlines } from "./cohort.ts";
import { RunContext } from "./context.ts";
import { Heartbeat } from "./heartbeat.ts";
import type { Lease } from "./heartbeat.ts";
import { metric } from "./metric-names.ts";
import { failed } from "./outcome.ts";
import type { Outcome } from "./outcome.ts";
import { Paperwork, withFinalizer } from "./paperwork.ts";
import type { RunParts } from "./parts.ts";
import { planFor, requestOf } from "./plan.ts";
import type { RunPlan } from "./plan.ts";
import type { EnginePorts } from "./ports.ts";
import type { Reconciler } from "./reconciler.ts";
import { outcomeOfError, outcomeReturned } from "./run-errors.ts";
import { Run } from "./run.ts";
import { settle, settleUntouched } from "./settle.ts";
import type { RunFacts, Settled } from "./settle.ts";
import { reconcileStatusOf, statusOf } from "./status.ts";
import { Turns } from "./turns.ts";

export interface WorkerOptions {
  readonly owner: string;
  readonly slots: number;
  readonly perNamespace: number;
  readonly leaseMs: number;
  /** The most that is claimed ahead of need. */
  readonly prefetch: number;
  /** There may be room for more. */
  readonly roomMade: (key: ResourceKey) => void;
}

/** Something that runs now, for people who look. */
export interface RunInfo {
  readonly key: ResourceKey;
  readonly uid: string;
  readonly what: RunPlan["what"];
  readonly token: number;
  readonly startedMs: number;
  readonly isAborted: boolean;
}

const defaultTimeoutMs = 600_000;
/** How long a run may take to return after it was told to stop. */
const patienceMs = 10_000;
/** How long something claimed may wait for its turn before others may have it. */
const longestWaitMs = 2_000;
/** Runs whose paperwork is under way, beyond which no more is claimed. */
const mostOutstanding = 1_024;
const mostQueued = 2_000;
const firstLoadRetryMs = 50;

export class Workers {
  readonly heartbeat: Heartbeat;
  readonly #ports: EnginePorts;
  readonly #options: WorkerOptions;
  readonly #around: Run["around"];
  readonly #reconcilers = new Map<string, Reconciler>();
  readonly #turns: Turns<Run>;
  readonly #paperwork: Paperwork;
  readonly #timeouts: Deadlines<Run>;
  readonly #patience: Deadlines<Run>;
  readonly #waits: Deadlines<Run>;
  #loading = 0;
  #isStopping = false;
  readonly #idle: (() => void)[] = [];

  constructor(ports: EnginePorts, parts: RunParts, options: WorkerOptions) {
    this.#ports = ports;
    this.#options = options;
    const { owner, slots, perNamespace } = options;
    this.#around = { ports, parts, owner, aborted: (run) => this.#wasAborted(run) };
    this.heartbeat = new Heartbeat(ports, options.leaseMs);
    this.#paperwork = new Paperwork(this.#around, this.heartbeat, (run) => this.#over(run));
    this.#turns = new Turns({
      slots,
      perNamespace,
      weightOf: (namespace) => ports.resources.weightOf(namespace),
      concurrencyOf: (kind) => this.#reconcilers.get(kind)?.concurrency ?? Infinity,
    });
    const { timers, clock } = ports;
    this.#timeouts = new Deadlines(timers, clock, (run) => run.abort("timeout"));
    this.#patience = new Deadlines(timers, clock, (run) => this.#giveUp(run));
    this.#waits = new Deadlines(timers, clock, (run) => this.#handBackQueued(run));
  }

  add(reconciler: Reconciler): void {
    const { kind } = reconciler;
    if (this.#reconcilers.has(kind)) throw new Error(`${kind} has a reconciler already`);
    this.#reconcilers.set(kind, reconciler);
  }

  /** What runs goes on; what waits is handed back. */
  remove(reconciler: Reconciler): void {
    this.#reconcilers.delete(reconciler.kind);
    for (const run of this.#turns.waiting()) {
      if (run.reconciler === reconciler) this.#handBackQueued(run);
    }
  }

  running(): readonly RunInfo[] {
    return [...this.#turns.running].map((run) => ({
      key: run.key,
      uid: run.uid,
      what: run.plan?.what ?? "reconcile",
      token: run.claim.token,
      startedMs: run.startedMs,
      isAborted: run.abortCause !== undefined,
    }));
  }

  /** What could be used now, and a little more while runs are short. */
  request(): ClaimRequest | undefined {
    const turns = this.#turns;
    const survey = turns.survey(this.#ports.clock.nowMs());
    const ahead = Math.min(this.#options.prefetch, survey.ahead);
    // While slots are free, whatever waits has to wait for others of its kind or namespace.
    const waiting = this.#loading + (turns.free > 0 ? 0 : turns.queued);
    const wanted = Math.min(limits.maxClaimItems, turns.free + ahead);
    const room = mostQueued - this.#loading - turns.queued;
    const limit = Math.min(wanted - waiting, room);
    const isBusy = waiting >= turns.free && limit * 2 < wanted;
    if (limit <= 0 || isBusy || this.#paperwork.outstanding >= mostOutstanding) return undefined;
    const kinds = [...this.#reconcilers.keys()].filter((kind) => !survey.fullKinds.has(kind));
    if (kinds.length === 0) return undefined;
    const skipNamespaces = survey.fullNamespaces.slice(0, limits.maxSkippedNamespaces);
    const { owner, leaseMs, perNamespace } = this.#options;
    const most = perNamespace + ahead;
    return {
      owner,
      kinds,
      leaseMs,
      limit,
      ...(most < limit ? { perNamespace: most } : {}),
      ...(skipNamespaces.length === 0 ? {} : { skipNamespaces }),
    };
  }

  deliver(claims: readonly Claim[], lease: Lease): void {
    const runs: Run[] = [];
    for (const claim of claims) {
      const reconciler = this.#reconcilers.get(claim.key.kind);
      // The kind was taken away while the claim was under way: the lease expires by itself.
      if (reconciler === undefined) continue;
      const run = new Run(this.#around, claim, reconciler);
      if (this.heartbeat.hold(run, lease)) runs.push(run);
    }
    if (runs.length > 0) void this.#load(runs);
  }

  /** Resolves when nothing is left; what was claimed and has not begun is handed back. */
  async drain(): Promise<void> {
    this.#isStopping = true;
    for (const run of this.#turns.waiting()) this.#handBackQueued(run);
    if (this.#isIdle()) return;
    await new Promise<void>((resolve) => {
      this.#idle.push(resolve);
    });
  }

  abortAll(): void {
    for (const run of this.#turns.running) run.abort("stopping");
  }

  /** Leaves no timer behind. What has not returned is given up, and its lease expires. */
  stop(): void {
    for (const run of this.#turns.running) this.#giveUp(run);
    this.heartbeat.stop();
    for (const deadlines of [this.#timeouts, this.#patience, this.#waits]) deadlines.stop();
  }

  async #load(runs: readonly Run[]): Promise<void> {
    this.#loading += runs.length;
    const records = await this.#read(runs);
    this.#loading -= runs.length;
    for (const [index, run] of runs.entries()) this.#receive(run, records?.[index]);
    this.#pump();
    this.#checkIdle();
  }

  /** Undefined when the store could not be read for as long as the leases lasted. */
  async #read(runs: readonly Run[]): Promise<readonly (StoredRecord | undefined)[] | undefined> {
    const keys = runs.map(({ key }) => key);
    for (let delayMs = firstLoadRetryMs; ; delayMs *= 2) {
      try {
        return await this.#ports.store.getMany(keys);
      } catch (error) {
        this.#ports.log.warn({ error, claims: keys.length }, "claimed resources were not read");
        await this.#ports.timers.sleep(Math.min(2_000, delayMs));
        if (this.#isStopping || runs.every((run) => run.isLost)) return undefined;
      }
    }
  }

  #receive(run: Run, record: StoredRecord | undefined): void {
    if (run.isLost) return this.#forget(run);
    if (this.#isStopping) return this.#paperwork.handBack(run);
    try {
      // With the resource its claim went as well.
      if (!run.read(record)) return this.#forget(run);
    } catch (error) {
      this.#ports.log.error({ error, key: run.key }, "a resource cannot be read");
      const report = (): Settled => ({ status: {}, isChanged: false, releaseAfterMs: 3_600_000 });
      return void this.#paperwork.settle(run, report);
    }
    const plan = planFor(run.current(), run.reconciler, run.claim.attempts);
    if (plan.kind === "run") {
      run.plan = plan;
      run.phase = "queued";
      run.waiting = this.#waits.join(run, longestWaitMs);
      this.#turns.add(run);
    } else this.#settleUnrun(run, plan);
  }

  #settleUnrun(run: Run, plan: Exclude<ReturnType<typeof planFor>, RunPlan>): void {
    const { clock } = this.#ports;
    switch (plan.kind) {
      case "nothing":
        return void this.#paperwork.settle(run, (resource) => ({
          status: statusOf(resource),
          isChanged: false,
          releaseAfterMs: undefined,
        }));
      case "paused":
      case "skipped": {
        const why = plan.kind === "paused" ? paused : skipped;
        return void this.#paperwork.settle(run, (resource) =>
          settleUntouched(resource, why, clock.nowMs()),
        );
      }
      case "letGo":
        return void this.#paperwork.settle(run, (resource) => ({
          status: statusOf(resource),
          isChanged: false,
          releaseAfterMs: undefined,
          letsGo: true,
        }));
      case "putAside":
        run.startedMs = clock.nowMs();
        return this.#report(run, plan.outcome);
    }
  }

  #pump(): void {
    if (this.#isStopping) return;
    for (
      let run = this.#turns.next(this.#ports.clock.nowMs());
      run !== undefined;
      run = this.#turns.next(this.#ports.clock.nowMs())
    ) {
      this.#start(run);
    }
  }

  #start(run: Run): void {
    run.waiting?.leave(run);
    run.phase = "running";
    run.deadline = this.#timeouts.join(run, run.reconciler.timeoutMs ?? defaultTimeoutMs);
    void this.#act(run);
  }

  async #act(run: Run): Promise<void> {
    let outcome: Outcome | undefined;
    try {
      if (run.plan?.addsFinalizer === true) await run.update(withFinalizer);
      outcome = outcomeReturned(await this.#invoke(run));
      if (outcome.kind === "failed" && run.abortCause === "stopping") outcome = undefined;
    } catch (error) {
      outcome = outcomeOfError(run, error);
    }
    if (run.phase !== "running") {
      this.#ports.log.warn({ key: run.key }, "a run that was given up has returned");
      return;
    }
    this.#leaveSlot(run);
    if (outcome === undefined) this.#paperwork.handBack(run);
    else this.#report(run, outcome);
    this.#pump();
    this.#options.roomMade(run.key);
  }

  async #invoke(run: Run): Promise<unknown> {
    const { reconciler } = run;
    const what = run.plan?.what ?? "reconcile";
    const context = new RunContext(run);
    const resource = run.current();
    return await this.#ports.tracer.span(
      what,
      async () => await reconciler[what]?.(resource, context),
    );
  }

  #report(run: Run, outcome: Outcome): void {
    const { clock, random, meter } = this.#ports;
    const nowMs = clock.nowMs();
    const tookMs = Math.max(0, nowMs - run.startedMs);
    const facts = this.#factsOf(run, tookMs);
    const labels = { kind: run.key.kind, outcome: outcomeLabel(outcome) };
    meter.count(metric.reconciles, labels);
    meter.observe(metric.reconcileSeconds, tookMs / 1_000, { kind: run.key.kind });
    const reportOf = (said: Outcome) => (resource: ReturnType<Run["current"]>) => ({
      ...settle(resource, said, facts, run.reconciler, clock.nowMs(), random),
      letsGo: facts.what === "remove" && said.kind === "done",
    });
    if (outcome.kind === "failed") {
      this.#around.parts.event(run, "Warning", outcome.reason, outcome.message);
    }
    void this.#conclude(run, outcome, reportOf);
  }

  async #conclude(
    run: Run,
    outcome: Outcome,
    reportOf: (outcome: Outcome) => Parameters<Paperwork["settle"]>[1],
  ): Promise<void> {
    let said = outcome;
    if (run.usedReferences || outcome.kind === "waiting" || wasWaiting(run)) {
      run.phase = "settling";
      try {
        await run.references.settle(outcome);
      } catch (error) {
        said = outcomeOfError(run, error) ?? outcome;
      }
    }
    await this.#paperwork.settle(run, reportOf(said), (error) => reportOf(refusedStatus(error)));
  }

  #factsOf(run: Run, tookMs: number): RunFacts {
    const resource = run.loaded();
    const isDeleting = resource.metadata.deletionTimestamp !== undefined;
    return {
      what: run.plan?.what ?? (isDeleting ? "remove" : "reconcile"),
      generation: resource.metadata.generation,
      request: requestOf(resource),
      note: run.plan?.note,
      startedMs: run.startedMs,
      tookMs,
      worker: this.#options.owner,
    };
  }

  #leaveSlot(run: Run): void {
    run.deadline?.leave(run);
    this.#turns.done(run, this.#ports.clock.nowMs());
  }

  /** A run that was told to stop gets a little time to do so; one that never began is over. */
  #wasAborted(run: Run): void {
    if (run.phase === "running") {
      run.deadline?.leave(run);
      run.deadline = this.#patience.join(run, patienceMs);
    } else if (run.phase === "queued" && this.#turns.withdraw(run)) this.#forget(run);
  }

  #giveUp(run: Run): void {
    if (run.phase !== "running") return;
    const { log, meter } = this.#ports;
    run.phase = "over";
    run.abort("lost");
    this.#leaveSlot(run);
    this.heartbeat.drop(run);
    meter.count(metric.abandoned, { kind: run.key.kind });
    log.error({ key: run.key, token: run.claim.token }, "a run did not stop and is given up");
    this.#over(run);
    this.#pump();
  }

  #handBackQueued(run: Run): void {
    if (run.phase !== "queued" || !this.#turns.withdraw(run)) return;
    run.waiting?.leave(run);
    this.#paperwork.handBack(run);
  }

  #forget(run: Run): void {
    run.phase = "over";
    run.waiting?.leave(run);
    this.heartbeat.drop(run);
    this.#over(run);
  }

  #over(run: Run): void {
    this.#options.roomMade(run.key);
    this.#checkIdle();
  }

  #isIdle(): boolean {
    return this.#turns.running.size + this.#loading + this.#paperwork.outstanding === 0;
  }

  #checkIdle(): void {
    if (this.#idle.length === 0 || !this.#isIdle()) return;
    for (const resolve of this.#idle.splice(0)) resolve();
  }
}

const paused = {
  status: "False",
  reason: "ReconcilePaused",
  message: "nothing is done while the annotation setpoint.dev/paused is true",
} as const;

const skipped = {
  status: "True",
  reason: "Skipped",
  message: "the policy is skip, and this kind cannot look without touching",
} as const;

function outcomeLabel(outcome: Outcome): string {
  return outcome.kind === "failed" && outcome.isCounted === false ? "refused" : outcome.kind;
}

function wasWaiting(run: Run): boolean {
  return reconcileStatusOf(statusOf(run.loaded())).waitingFor !== undefined;
}

function refusedStatus(error: unknown): Outcome {
  const why = isSetpointError(error) ? error.message : "it could not be encoded";
  return failed("StatusRefused", `the status of the run was refused: ${why}`, { retry: "slow" });
}

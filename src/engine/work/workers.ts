// The middle of the engine. Claimed resources are loaded in one read, planned, wait for a slot,
// run, and pass to the result writer. Only a running resource holds a slot. Every run ends: it is
// aborted when its lease is lost, its time is over or the server stops. A run that ignores the
// abort is abandoned: its slot is free, and the resource does not run here again until that run
// returns.

import { assert } from "../../kernel/assert.ts";
import { limits } from "../../kernel/limits.ts";
import type { ResourceKey } from "../../kernel/resource.ts";
import type { Claim, ClaimRequest } from "../../store/port.ts";
import { takeBackBegun } from "../run/start-record.ts";
import { Deadlines } from "./cohort.ts";
import { RunContext } from "../run/context.ts";
import { planOf } from "../run/earlier-runs.ts";
import { Heartbeat } from "./heartbeat.ts";
import type { Lease } from "./heartbeat.ts";
import { heldOffMs } from "./run-delay.ts";
import { hasToHold, holdFirst } from "../run/before-run.ts";
import { Instruments } from "../reporting/instruments.ts";
import { checkWaitedFor } from "../journal/references.ts";
import { loadClaims } from "./load-claims.ts";
import type { Claimed, Loaded } from "./load-claims.ts";
import type { Outcome } from "../outcome.ts";
import { ResultWriter } from "../run/result-writer.ts";
import type { RunParts } from "../run/parts.ts";
import type { RunPlan } from "../run/plan.ts";
import type { EnginePorts } from "../ports.ts";
import { Suspects } from "./suspects.ts";
import type { Reconciler } from "../reconciler.ts";
import { refusedStatus, reportNothing, reportOf, reportUnrun } from "../run/reports.ts";
import { outcomeReturned } from "../run/returned-outcome.ts";
import { asRunOf } from "../run/current-run.ts";
import {
  defaultTimeoutMs,
  neverReturned,
  notReturnedYet,
  outcomeOfError,
} from "../run/run-errors.ts";
import { RunHistory } from "../run/run-history.ts";
import { Run } from "../run/run.ts";
import { sharedRandom } from "../run/shared-random.ts";
import { shownOutcome } from "../run/shown.ts";
import { reconcileStatusOf, statusOf } from "../run/status.ts";
import { hasWord, sayUnderWay, underWayMs } from "../run/in-progress.ts";
import { factsOfRun } from "../reporting/tracer.ts";
import { Turns } from "./turns.ts";

export interface WorkerOptions {
  readonly owner: string;
  readonly slots: number;
  readonly perNamespace: number;
  readonly leaseMs: number;
  /** The most that is claimed ahead of need. */
  readonly prefetch: number;
  /** See anew.ts. */
  readonly startsFresh?: boolean | undefined;
  /** There may be room for more, now that something of this kind and namespace is over. */
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

/** How long a run may take to return after it was told to stop. */
const patienceMs = 10_000;
/** How long something claimed may wait for its turn before others may have it. */
const longestWaitMs = 2_000;
/** Who has run for so long is not what takes its process down at once. */
const solitudeMs = 5_000;
/** Runs whose result writer is under way, beyond which no more is claimed. */
const mostOutstanding = 1_024;
const mostQueued = 2_000;
/** How soon something is looked at again whose former run has not returned. */
const notReturnedMs = 1_000;
/** What cannot be read is not touched until somebody mends it. */
const unreadableMs = 3_600_000;

export class Workers {
  readonly heartbeat: Heartbeat;
  readonly history = new RunHistory();
  readonly #ports: EnginePorts;
  readonly #options: WorkerOptions;
  readonly #around: Run["around"];
  readonly #reconcilers = new Map<string, Reconciler>();
  readonly #turns: Turns<Run>;
  readonly #results: ResultWriter;
  readonly #instruments: Instruments;
  readonly #timeouts: Deadlines<Run>;
  readonly #patience: Deadlines<Run>;
  readonly #waits: Deadlines<Run>;
  readonly #words: Deadlines<Run>;
  readonly #solitudes: Deadlines<Run>;
  readonly #suspects = new Suspects((run) => void takeBackBegun(run));
  /** The uids of what runs on although it was given up. */
  readonly #abandoned = new Set<string>();
  /** What is in a slot, by its uid. */
  readonly #inSlot = new Map<string, Run>();
  readonly #idle: (() => void)[] = [];
  #loading = 0;
  /** With more than this waiting, room that is made is no news. */
  #plenty = Infinity;
  #isStopping = false;

  constructor(ports: EnginePorts, parts: RunParts, options: WorkerOptions) {
    this.#ports = ports;
    this.#options = options;
    const { owner, slots, perNamespace } = options;
    const ignoredBeforeMs = options.startsFresh === true ? ports.clock.nowMs() : undefined;
    const resyncRandom = sharedRandom(ports.random);
    const aborted = (run: Run): void => this.#wasAborted(run);
    this.#around = { ports, parts, owner, resyncRandom, ignoredBeforeMs, aborted };
    this.#instruments = new Instruments(ports);
    this.heartbeat = new Heartbeat(ports, options.leaseMs);
    this.#results = new ResultWriter(this.#around, this.heartbeat, (run) => this.#over(run));
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
    this.#words = new Deadlines(timers, clock, (run) => void sayUnderWay(run));
    this.#solitudes = new Deadlines(timers, clock, (run) =>
      this.#goOn(this.#suspects.outlived(run)),
    );
  }

  add(reconciler: Reconciler): void {
    const { kind } = reconciler;
    assert(!this.#reconcilers.has(kind), `${kind} has a reconciler already`);
    assert(this.#reconcilers.size < limits.maxClaimKinds, "there are too many reconcilers");
    this.#reconcilers.set(kind, reconciler);
  }

  /** What runs goes on; what waits is handed back. */
  remove(reconciler: Reconciler): void {
    if (this.#reconcilers.get(reconciler.kind) !== reconciler) return;
    this.#reconcilers.delete(reconciler.kind);
    for (const run of this.#waiting()) {
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

  /** Brings the numbers up to date that nobody keeps, for who is about to read them. */
  measure(): void {
    this.#instruments.queues(this.#turns.queued, this.#results.outstanding);
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
    const isWellFed = waiting >= turns.free && limit * 2 < wanted;
    this.#plenty = isWellFed ? Math.floor(wanted / 2) : Infinity;
    if (limit <= 0 || isWellFed || this.#results.outstanding >= mostOutstanding) return undefined;
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
    const claimed: Claimed[] = [];
    for (const claim of claims) {
      const { body } = claim;
      const reconciler = this.#reconcilers.get(claim.key.kind);
      const run = new Run(this.#around, bare(claim), reconciler ?? absentee);
      // The answer came too late to be trusted, or the kind was taken away meanwhile.
      const isUseful = this.heartbeat.hold(run, lease) && reconciler !== undefined;
      if (isUseful) claimed.push({ run, body });
      else this.#results.handBack(run);
    }
    if (claimed.length > 0) void this.#load(claimed);
  }

  /** Resolves when nothing is left; what was claimed and has not begun is handed back. */
  async drain(): Promise<void> {
    this.#isStopping = true;
    for (const run of this.#waiting()) this.#handBackQueued(run);
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
    this.#isStopping = true;
    for (const run of this.#turns.running) this.#giveUp(run);
    this.#results.stop();
    this.heartbeat.stop();
    const all = [this.#timeouts, this.#patience, this.#waits, this.#words, this.#solitudes];
    for (const deadlines of all) deadlines.stop();
  }

  async #load(claimed: readonly Claimed[]): Promise<void> {
    this.#loading += claimed.length;
    const all = await loadClaims(this.#ports, claimed, () => this.#isStopping);
    this.#loading -= claimed.length;
    for (const [index, { run }] of claimed.entries()) {
      const loaded = all?.[index];
      if (run.isLost || loaded?.kind === "gone") this.#forget(run);
      else if (loaded === undefined || !this.#isWanted(run)) this.#results.handBack(run);
      else this.#receive(run, loaded);
    }
    this.#pump();
    // What may start has started: whatever is free now, others could have.
    for (const { run } of claimed.slice(0, 1)) this.#options.roomMade(run.key);
    this.#checkIdle();
  }

  /** While it was read its kind may have been taken away, and with that what limits it. */
  #isWanted({ key, reconciler }: Run): boolean {
    return !this.#isStopping && this.#reconcilers.get(key.kind) === reconciler;
  }

  #receive(run: Run, loaded: Exclude<Loaded, { kind: "gone" }>): void {
    if (loaded.kind === "unreadable") {
      const { error } = loaded;
      this.#ports.log.error({ error, key: run.key }, "resource not readable");
      return void this.#results.settle(run, reportNothing(unreadableMs));
    }
    run.load(loaded.resource, loaded.revision);
    const plan = planOf(run, run.current());
    if (plan.kind !== "run") {
      run.startedMs = this.#ports.clock.nowMs();
      return void this.#results.settle(run, reportUnrun(run, plan));
    }
    const leftMs = heldOffMs(run, this.#ports.clock.nowMs());
    if (leftMs > 0) return void this.#results.settle(run, reportNothing(leftMs));
    run.plan = plan;
    const former = this.#inSlot.get(run.uid);
    if (former !== undefined) {
      // Its lease is over, which it may not know yet. It is not run twice at a time in a process:
      // until it has returned, whoever else can have it may.
      former.abort("lost");
      return void this.#results.settle(run, reportNothing(notReturnedMs));
    }
    if (this.#abandoned.has(run.uid)) {
      run.startedMs = this.#ports.clock.nowMs();
      return void this.#results.settle(run, reportOf(run, notReturnedYet()));
    }
    run.phase = "queued";
    if (this.#suspects.admits(run)) this.#enqueue(run);
  }

  #enqueue(run: Run): void {
    run.deadline = this.#waits.join(run, longestWaitMs);
    this.#turns.add(run);
  }

  #pump(): void {
    if (this.#isStopping || this.#turns.queued === 0) return;
    const nowMs = this.#ports.clock.nowMs();
    let run = this.#turns.next(nowMs);
    for (; run !== undefined; run = this.#turns.next(nowMs)) this.#start(run);
  }

  #start(run: Run): void {
    run.deadline?.leave(run);
    run.phase = "running";
    run.hasBegun = true;
    this.#inSlot.set(run.uid, run);
    run.deadline = this.#timeouts.join(run, run.reconciler.timeoutMs ?? defaultTimeoutMs);
    if (hasWord(run)) run.word = this.#words.join(run, underWayMs);
    if (this.#suspects.isAlone(run)) run.solitude = this.#solitudes.join(run, solitudeMs);
    this.#instruments.started(run);
    void this.#act(run);
  }

  /** Whatever happens, the run leaves its slot. */
  async #act(run: Run): Promise<void> {
    let isInSlot = true;
    try {
      const outcome = await this.#outcomeOf(run);
      if (run.phase !== "running") {
        this.#returned(run);
        return;
      }
      isInSlot = false;
      this.#leaveSlot(run);
      this.#conclude(run, outcome);
    } catch (error) {
      this.#ports.log.error({ error, key: run.key }, "run not concluded");
      if (isInSlot) this.#leaveSlot(run);
      this.#forget(run);
    }
    this.#pump();
    this.#tellRoom(run);
  }

  async #outcomeOf(run: Run): Promise<Outcome | undefined> {
    try {
      if (hasToHold(run) && !(await holdFirst(run))) return undefined;
      const outcome = shownOutcome(run, outcomeReturned(await this.#invoke(run)));
      checkWaitedFor(outcome, this.#ports.resources);
      // Whoever fails while the server stops most likely fails because of that.
      const isNoWord = outcome.kind === "failed" && run.abortCause === "stopping";
      return isNoWord ? undefined : outcome;
    } catch (error) {
      return outcomeOfError(run, error);
    }
  }

  #invoke(run: Run): Promise<unknown> {
    const { reconciler, key } = run;
    const what = run.plan?.what ?? "reconcile";
    const context = new RunContext(run);
    const resource = run.give();
    return this.#ports.tracer.span<unknown>(
      `${what} ${key.kind}`,
      () => asRunOf(run, () => reconciler[what]?.(resource, context) ?? Promise.resolve()),
      factsOfRun(run),
    );
  }

  #conclude(run: Run, outcome: Outcome | undefined): void {
    const isLost = run.isLost;
    const ending = isLost ? "lost" : (outcome ?? "handedBack");
    this.#instruments.concluded(run, ending);
    this.history.record(run, ending, this.#ports.clock.nowMs());
    if (isLost) this.#forget(run);
    else if (outcome === undefined) this.#results.handBack(run);
    else if (run.usedReferences || outcome.kind === "waiting" || mayHaveStale(run, outcome)) {
      void this.#settleReferences(run, outcome);
    } else this.#report(run, outcome);
  }

  async #settleReferences(run: Run, outcome: Outcome): Promise<void> {
    run.phase = "settling";
    const ended = this.#results.begin();
    let said: Outcome = outcome;
    try {
      await run.references.settle(outcome);
    } catch (error) {
      said = outcomeOfError(run, error) ?? outcome;
    }
    this.#report(run, said);
    ended();
  }

  #report(run: Run, outcome: Outcome): void {
    const report = reportOf(run, outcome);
    void this.#results.settle(run, report, (error) => reportOf(run, refusedStatus(error)));
  }

  #leaveSlot(run: Run): void {
    run.deadline?.leave(run);
    run.word?.leave(run);
    run.solitude?.leave(run);
    if (this.#inSlot.get(run.uid) === run) this.#inSlot.delete(run.uid);
    this.#turns.done(run, this.#ports.clock.nowMs());
    this.#instruments.ended(run);
  }

  /** A run that was told to stop gets a little time to do so; one that never began is over. */
  #wasAborted(run: Run): void {
    if (run.phase === "running") {
      run.deadline?.leave(run);
      run.deadline = this.#patience.join(run, patienceMs);
    } else if (run.phase === "queued" && this.#withdraw(run)) this.#forget(run);
  }

  #giveUp(run: Run): void {
    if (run.phase !== "running") return;
    // It may do nothing more, and is not run here again before it has returned.
    run.isGivenUp = true;
    this.#abandoned.add(run.uid);
    this.#leaveSlot(run);
    this.#instruments.abandoned(run, this.#abandoned.size);
    this.history.record(run, "abandoned", this.#ports.clock.nowMs());
    this.#ports.log.error(
      { key: run.key, token: run.claim.token },
      "run did not stop after it was aborted, abandoned",
    );
    if (run.abortCause === "timeout" && !this.#isStopping) this.#report(run, neverReturned(run));
    else {
      run.phase = "over";
      run.abort("lost");
      this.#forget(run);
    }
    this.#pump();
  }

  #returned(run: Run): void {
    this.#abandoned.delete(run.uid);
    this.#instruments.returned(this.#abandoned.size);
    this.#ports.log.warn({ key: run.key }, "abandoned run returned");
  }

  #handBackQueued(run: Run): void {
    if (run.phase !== "queued" || !this.#withdraw(run)) return;
    run.deadline?.leave(run);
    this.#results.handBack(run);
  }

  #waiting(): readonly Run[] {
    return [...this.#suspects.waiting(), ...this.#turns.waiting()];
  }

  #withdraw(run: Run): boolean {
    return this.#suspects.withdraw(run) || this.#turns.withdraw(run);
  }

  /** Ends without a word: there is no claim to give back. */
  #forget(run: Run): void {
    run.phase = "over";
    run.deadline?.leave(run);
    this.heartbeat.drop(run);
    this.#over(run);
  }

  #over(run: Run): void {
    this.#goOn(this.#suspects.over(run));
    this.#tellRoom(run);
    this.#checkIdle();
  }

  #goOn(suspect: Run | undefined): void {
    if (suspect === undefined) return;
    this.#enqueue(suspect);
    this.#pump();
  }

  #tellRoom(run: Run): void {
    if (this.#loading + this.#turns.queued <= this.#plenty) this.#options.roomMade(run.key);
  }

  #isIdle(): boolean {
    return this.#turns.running.size + this.#loading + this.#results.outstanding === 0;
  }

  #checkIdle(): void {
    if (this.#idle.length === 0 || !this.#isIdle()) return;
    for (const resolve of this.#idle.splice(0)) resolve();
  }
}

/** Without its document, which is of no use once it was read. */
function bare({ key, token, uid, revision, expiresAtMs, dueAtMs, attempts }: Claim): Claim {
  return { key, token, uid, revision, expiresAtMs, dueAtMs, attempts };
}

/** Stands for a reconciler that is gone; what it would run is handed back unrun. */
const absentee: Reconciler = {
  kind: "",
  reconcile: async () => await Promise.reject(new Error("there is no reconciler")),
};

/** Who waited, or failed before it came to its references, may have some that are of no use now. */
function mayHaveStale(run: Run, outcome: Outcome): boolean {
  const { waitingFor, attempts } = reconcileStatusOf(statusOf(run.loaded()));
  return waitingFor !== undefined || (attempts !== undefined && outcome.kind !== "failed");
}

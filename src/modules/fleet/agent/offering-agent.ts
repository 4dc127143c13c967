/**
 * The agent for the instances of one Offering. It lists and watches them in the control plane,
 * applies each to the data plane, and reports what the data plane says.
 *
 * - One instance is worked on by one call at a time.
 * - An object is applied when its instance, or the object itself, has changed since the last time.
 * - At least once in `resyncMs` everything is listed and compared again. The times of agents that
 *   were started together spread.
 * - What has the labels of this agent and is in no list is an orphan, such as an object whose
 *   agent was killed. It is removed after two lists without it. Many orphans at once are
 *   kept, because an empty control plane is more likely than many lost deletions.
 */
import type { ModuleLog } from "../../../contract/ports.ts";
import { keyedWorker } from "../../../intents/housekeeping/keyed-worker.ts";
import type { Clock } from "../../../kernel/clock.ts";
import type { Random } from "../../../kernel/random.ts";
import type { Timers } from "../../../kernel/timers.ts";
import { Backoff } from "./backoff.ts";
import { ControlPlaneError } from "./control-plane.ts";
import type { ControlPlane, OfferedToAgent } from "./control-plane.ts";
import { ObjectRefused } from "./data-plane.ts";
import type { DataPlane } from "./data-plane.ts";
import { readDesired } from "./desired-instance.ts";
import type { DesiredInstance } from "./desired-instance.ts";
import { deletedReport, refusedReport, reportOf } from "./instance-report.ts";
import { Orphans } from "./orphans.ts";
import { Reporter } from "./reporter.ts";

export interface OfferingAgentInput {
  readonly offering: OfferedToAgent;
  readonly controlPlane: ControlPlane;
  readonly dataPlane: DataPlane;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly random: Random;
  readonly log: ModuleLog;
}

/** Between two looks at what is being removed. */
const removalMs = 1_000;
/** Between two repairs of one object: another program may change it all the time. */
const repairMs = 1_000;
const stopMs = 2_000;
/** Of a watch that the control plane does not end: its connection is closed then. */
const lateMs = 10_000;

/** A data plane that has not answered for longer is a problem that is reported. */
const startMs = 10_000;

const notRead = "the data plane has not been read yet";

interface Applied {
  readonly digest: string;
  /** Of the object after it was applied; undefined when the data plane refused it. */
  readonly generation: number | undefined;
  readonly atMs: number;
}

export class OfferingAgent {
  readonly #input: OfferingAgentInput;
  readonly #reporter: Reporter;
  readonly #orphans = new Orphans();
  readonly #desired = new Map<string, DesiredInstance>();
  readonly #applied = new Map<string, Applied>();
  readonly #cancels = new Map<string, () => void>();
  readonly #createdMs: number;
  /** Why the data plane cannot be followed at present. */
  #problem: string | undefined = notRead;

  constructor(input: OfferingAgentInput) {
    this.#input = input;
    this.#createdMs = input.clock.nowMs();
    const { controlPlane, offering } = input;
    this.#reporter = new Reporter({
      ...input,
      send: (reports, signal) => controlPlane.report(offering.plural, reports, signal),
    });
  }

  /** Undefined when the data plane can be used. */
  get problem(): string | undefined {
    return this.#problem;
  }

  /** The data plane has not answered yet, and may answer soon. */
  get isStarting(): boolean {
    const isNew = this.#input.clock.nowMs() < this.#createdMs + startMs;
    return isNew && this.#problem === notRead;
  }

  /** Runs until the signal aborts, and ends within a bounded time. */
  async run(signal: AbortSignal): Promise<void> {
    const { timers, log, offering, dataPlane } = this.#input;
    const worker = keyedWorker({
      timers,
      work: async (id) => {
        const againMs = await this.#work(id, signal);
        this.#later(id, againMs, add);
        return undefined;
      },
      onError: (error, id) => {
        if (!signal.aborted) log.warn({ error, instance: id }, "instance not applied");
      },
    });
    const add = (id: string): void => worker.add(id);
    await Promise.all([
      this.#repeat("data plane not followed", signal, async (backoff) => {
        try {
          const read = (): void => {
            backoff.succeeded();
            this.#problem = undefined;
          };
          await dataPlane.follow({ read, changed: add }, signal);
        } catch (error) {
          this.#problem = error instanceof Error ? error.message : "unknown error";
          throw error;
        }
      }),
      this.#repeat("instances not listed", signal, async (backoff) => {
        await this.#listAndWatch(add, backoff, signal);
      }),
      this.#reporter.run(signal),
    ]);
    for (const cancel of this.#cancels.values()) cancel();
    await worker[Symbol.asyncDispose]();
    await this.#lastReports();
    log.info({ offering: offering.name }, "agent of an offering stopped");
  }

  /** One timer for each instance, however often it was looked at meanwhile. */
  #later(id: string, againMs: number | undefined, add: (id: string) => void): void {
    this.#cancels.get(id)?.();
    this.#cancels.delete(id);
    if (againMs === undefined) return;
    const cancel = this.#input.timers.after(againMs, () => {
      this.#cancels.delete(id);
      add(id);
    });
    this.#cancels.set(id, cancel);
  }

  /** Reports that are ready are not lost by a stop, if the control plane answers soon. */
  async #lastReports(): Promise<void> {
    if (this.#reporter.waiting === 0) return;
    const late = new AbortController();
    const cancel = this.#input.timers.after(stopMs, () => late.abort());
    try {
      await this.#reporter.flush(late.signal);
    } catch (error) {
      this.#input.log.info({ error }, "reports not sent before the stop");
    } finally {
      cancel();
    }
  }

  async #repeat(
    failure: string,
    signal: AbortSignal,
    once: (backoff: Backoff) => Promise<void>,
  ): Promise<void> {
    const { random, timers, log, offering } = this.#input;
    const backoff = new Backoff(random);
    while (!signal.aborted) {
      try {
        await once(backoff);
      } catch (error) {
        if (signal.aborted) return;
        const pauseMs = backoff.nextMs();
        log.warn({ error, offering: offering.name, pause_ms: pauseMs }, failure);
        await timers.sleep(pauseMs, signal).catch(() => undefined);
      }
    }
  }

  /** One list, and the changes after it until the next list is due. */
  async #listAndWatch(
    add: (id: string) => void,
    backoff: Backoff,
    signal: AbortSignal,
  ): Promise<void> {
    const { controlPlane, offering, timers, clock, random } = this.#input;
    const dueMs = clock.nowMs() + offering.resyncMs * (0.9 + random.next() / 10);
    const list = await controlPlane.list(offering.plural, signal);
    await this.#take(list.items, signal);
    for (const id of this.#desired.keys()) add(id);
    for (const id of this.#orphans.confirmed) add(id);
    backoff.succeeded();
    const late = new AbortController();
    const cancel = timers.after(dueMs - clock.nowMs() + lateMs, () => late.abort());
    const until = AbortSignal.any([signal, late.signal]);
    let { version } = list;
    try {
      while (!until.aborted && clock.nowMs() < dueMs) {
        const spanMs = dueMs - clock.nowMs();
        for await (const event of controlPlane.watch(offering.plural, version, spanMs, until)) {
          version = event.version || version;
          if (event.kind === "bookmark") continue;
          const id = event.kind === "change" ? this.#want(event.object) : this.#drop(event.id);
          if (id !== undefined) add(id);
        }
      }
    } catch (error) {
      // A version that is too old is not kept any more: a new list is the way to go on.
      const isOld = error instanceof ControlPlaneError && error.status === 410;
      if (!until.aborted && !isOld) throw error;
    } finally {
      cancel();
    }
  }

  async #take(items: readonly unknown[], signal: AbortSignal): Promise<void> {
    const before = new Set(this.#desired.keys());
    for (const item of items) {
      const id = this.#want(item as Parameters<typeof readDesired>[0]);
      if (id !== undefined) before.delete(id);
    }
    for (const id of before) this.#drop(id);
    await this.#findOrphans(signal);
  }

  async #findOrphans(signal: AbortSignal): Promise<void> {
    const { dataPlane, log, offering } = this.#input;
    try {
      const kept = this.#orphans.listed(await dataPlane.ids(signal), this.#desired);
      if (kept === 0) return;
      log.error({ offering: offering.name, orphans: kept }, "orphans kept: too many at once");
    } catch (error) {
      // The control plane is followed also while the data plane does not answer.
      if (!signal.aborted) log.warn({ error, offering: offering.name }, "orphans not listed");
    }
  }

  #want(view: Parameters<typeof readDesired>[0]): string | undefined {
    const desired = readDesired(view);
    if (desired === undefined) {
      this.#input.log.warn({}, "instance not understood");
      return undefined;
    }
    this.#desired.set(desired.id, desired);
    return desired.id;
  }

  #drop(id: string): undefined {
    this.#desired.delete(id);
    this.#applied.delete(id);
    this.#reporter.forget(id);
  }

  /** Returns when to look again. */
  async #work(id: string, signal: AbortSignal): Promise<number | undefined> {
    if (signal.aborted) return undefined;
    const { dataPlane, log } = this.#input;
    const want = this.#desired.get(id);
    if (want === undefined) {
      if (!this.#orphans.confirmed.has(id)) return undefined;
      log.warn({ instance: id }, "orphan removed");
      if (!(await dataPlane.remove(id, signal))) return removalMs;
      this.#orphans.removed(id);
      return undefined;
    }
    if (want.isDeleted) {
      if (!(await dataPlane.remove(id, signal))) return removalMs;
      this.#applied.delete(id);
      this.#reporter.report(id, deletedReport(want));
      return undefined;
    }
    const againMs = await this.#apply(want, signal);
    const report = reportOf(want, dataPlane.observed(id));
    if (report !== undefined) this.#reporter.report(id, report);
    return againMs;
  }

  /** Skips what is as it was applied. Returns when to look again. */
  async #apply(want: DesiredInstance, signal: AbortSignal): Promise<number | undefined> {
    const { dataPlane, clock, log } = this.#input;
    const { id, digest } = want;
    const observed = dataPlane.observed(id);
    const applied = this.#applied.get(id);
    if (observed?.isPaused === true || observed?.isDeleting === true) return undefined;
    if (applied?.digest === digest) {
      if (applied.generation === undefined) return undefined;
      if (observed !== undefined && observed.generation === applied.generation) return undefined;
      const waitMs = applied.atMs + repairMs - clock.nowMs();
      if (waitMs > 0) return waitMs;
    }
    try {
      await dataPlane.apply(want, signal);
      const generation = dataPlane.observed(id)?.generation ?? 0;
      this.#applied.set(id, { digest, generation, atMs: clock.nowMs() });
      log.info({ instance: id, placement: want.placementId }, "instance applied");
    } catch (error) {
      if (!(error instanceof ObjectRefused)) throw error;
      this.#applied.set(id, { digest, generation: undefined, atMs: clock.nowMs() });
      log.warn({ instance: id, error }, "instance refused by the data plane");
      this.#reporter.report(id, refusedReport(want, error.message));
    }
    return undefined;
  }
}

// Wakes those whom a change concerns: owners of what changed, and those who refer to it. One
// process at a time does this for all, following the log from a stored place, so nothing is missed
// when it changes hands. In an idle store it renews its lease, and makes no change. Should the log
// have been compacted beyond that place, every resource that is reconciled is woken once instead.
// What is in the log never stops it: what cannot be read or woken is told and passed over.

import { isSetpointError } from "../../kernel/errors.ts";
import { limits } from "../../kernel/limits.ts";
import { every } from "../../kernel/timers.ts";
import type { Change, ClaimRef, Schedule } from "../../store/port.ts";
import { adoptedKinds } from "./adoption.ts";
import { consequencesOf } from "./changes-to-wakes.ts";
import type { WakeRules } from "./changes-to-wakes.ts";
import { claimCursor, followerLeaseMs, keepCursor, readPlace, writePlace } from "./cursor.ts";
import type { Place } from "./cursor.ts";
import { metric } from "../reporting/metric-names.ts";
import { Trouble } from "../reporting/trouble.ts";
import { cursorKind } from "../names.ts";
import type { EnginePorts } from "../ports.ts";
import { LeaderTasks } from "./leader-tasks.ts";
import { loadQuietStatus } from "./quiet-status.ts";
import { loadReferenceIndex } from "./reference-index.ts";
import { unlessAborted } from "../run/unless-aborted.ts";
import { wakeEverything } from "./wake-everything.ts";
import { createWakePace } from "./wake-pace.ts";
import { WakeQueue } from "./wake-queue.ts";
import type { ReadPage } from "./wake-queue.ts";
import { commitWakes } from "./wakes.ts";
import type { Skipped } from "./wakes.ts";

export type WakeUpPorts = Pick<
  EnginePorts,
  "store" | "resources" | "clock" | "timers" | "log" | "meter"
>;

/** Disposing of it hands the claim back. */
export type WakeUps = AsyncDisposable;

const persistMs = 2_000;
const retryMs = 500;
/** With more waiting than this the log is not read on for the time being. */
const mostQueued = 100_000;

export function startWakeUps(
  ports: WakeUpPorts,
  owner: string,
  leaderTasks: LeaderTasks = new LeaderTasks(ports),
): WakeUps {
  const stop = new AbortController();
  const running = run({ ports, owner, leaderTasks }, stop.signal);
  return {
    [Symbol.asyncDispose]: async () => {
      stop.abort();
      await running;
    },
  };
}

interface Troubles {
  readonly claiming: Trouble;
  readonly following: Trouble;
  readonly placing: Trouble;
}

function newTroubles({ log }: WakeUpPorts): Troubles {
  const over = "changes wake reconcilers again";
  return {
    claiming: new Trouble(log, {
      failing: "this process cannot wake reconcilers after changes; retrying",
      over,
    }),
    following: new Trouble(log, {
      failing: "changes do not wake reconcilers; retrying until the store is available",
      over,
    }),
    placing: new Trouble(log, {
      failing: "the position in the log is not stored; a restart would begin earlier",
      over: "the position in the log is stored again",
    }),
  };
}

interface WakeUpsInput {
  readonly ports: WakeUpPorts;
  readonly owner: string;
  readonly leaderTasks: LeaderTasks;
}

async function run(input: WakeUpsInput, stop: AbortSignal): Promise<void> {
  const { ports, owner } = input;
  const troubles = newTroubles(ports);
  while (!stop.aborted) {
    try {
      const claim = await claimCursor(ports, owner, stop);
      await hold(input, claim, stop, troubles);
    } catch (error) {
      if (stop.aborted) return;
      troubles.claiming.failed(error);
      await ports.timers.sleep(retryMs, stop).catch(() => undefined);
    }
  }
}

/** Follows the log until the claim is lost (rejects) or it is time to stop. */
async function hold(
  { ports, leaderTasks }: WakeUpsInput,
  claim: ClaimRef,
  stop: AbortSignal,
  troubles: Troubles,
): Promise<void> {
  const ended = new AbortController();
  const signal = AbortSignal.any([stop, ended.signal]);
  const follower = new Follower(ports, claim, signal, troubles);
  // A claim that outlives its first lease was renewed: a store in trouble may well give one.
  const cancel = ports.timers.after(followerLeaseMs, () => troubles.claiming.over());
  const tasks = [
    keepCursor(ports, claim, signal),
    follower.follow(),
    every(ports.timers, persistMs, () => follower.persist(), signal),
    leaderTasks.lead(claim, signal),
  ];
  try {
    await Promise.race(tasks);
  } catch (error) {
    if (!stop.aborted) throw error;
  } finally {
    cancel();
    ended.abort();
    await Promise.allSettled(tasks);
  }
  await follower.handBack();
}

class Follower {
  readonly #ports: WakeUpPorts;
  readonly #claim: ClaimRef;
  readonly #signal: AbortSignal;
  readonly #troubles: Troubles;
  readonly #pace = createWakePace();
  #place: Place | undefined;
  #rules: WakeRules | undefined;
  /** Whether the log does not go back to the stored place any more. */
  #isLogGone = false;
  #isGoneTold = false;
  /** Whether anything but the cursor itself was dealt with since the place was stored. */
  #isMoved = false;

  constructor(ports: WakeUpPorts, claim: ClaimRef, signal: AbortSignal, troubles: Troubles) {
    this.#troubles = troubles;
    this.#ports = ports;
    this.#claim = claim;
    this.#signal = signal;
  }

  async follow(): Promise<void> {
    for (;;) {
      this.#signal.throwIfAborted();
      try {
        await this.#followOn();
      } catch (error) {
        this.#signal.throwIfAborted();
        this.#tellFailed(error);
        const code = isSetpointError(error) ? error.code : "internal";
        this.#ports.meter.count(metric.followerFailures, { code });
        await this.#tellBehind();
        await this.#ports.timers.sleep(retryMs, this.#signal);
      }
    }
  }

  /** A log that does not go back is what a restore leaves; once, that is no trouble. */
  #tellFailed(error: unknown): void {
    const isGone = isSetpointError(error, "history.gone");
    this.#isLogGone ||= isGone;
    if (!isGone || this.#isGoneTold) return this.#troubles.following.failed(error);
    this.#isGoneTold = true;
    this.#ports.log.info(
      {},
      "the history does not reach back to the stored position, as after a restore; " +
        "every reconciled resource is checked once",
    );
  }

  async persist(): Promise<void> {
    if (!this.#isMoved || this.#place === undefined) return;
    this.#isMoved = false;
    try {
      const writing = writePlace(this.#ports.store, this.#claim, this.#place);
      await unlessAborted(writing, this.#signal);
      this.#troubles.placing.over();
    } catch (error) {
      this.#isMoved = true;
      if (this.#signal.aborted || isSetpointError(error, "claim.lost")) throw error;
      this.#troubles.placing.failed(error);
    }
  }

  async handBack(): Promise<void> {
    this.#ports.meter.gauge(metric.followerBehind, 0);
    try {
      this.#place ??= await readPlace(this.#ports.store);
      await writePlace(this.#ports.store, this.#claim, this.#place, { isLast: true });
    } catch (error) {
      this.#ports.log.warn({ error }, "claim on the log not released");
    }
  }

  async #followOn(): Promise<void> {
    const { store } = this.#ports;
    const signal = this.#signal;
    let place = await unlessAborted(this.#placeToBeginAt(), signal);
    this.#rules ??= await unlessAborted(this.#loadRules(), signal);
    if (!place.isComplete) {
      await wakeEverything(store, this.#rules, signal);
      place = { ...place, isComplete: true };
      this.#isMoved = true;
    }
    this.#place = place;
    await this.#goOn(place.revision, this.#rules);
  }

  /** Reads on between portions, so that no change waits for all that an earlier one asks for. */
  async #goOn(from: number, rules: WakeRules): Promise<never> {
    const { store, meter } = this.#ports;
    const queue = new WakeQueue();
    let read = from;
    for (;;) {
      let head = read;
      if (queue.size < mostQueued) {
        const reading = store.changes(read, limits.eventPageItems);
        const { changes, through, revision } = await unlessAborted(reading, this.#signal);
        meter.gauge(metric.followerBehind, revision - (this.#place?.revision ?? read));
        this.#queue(queue, changes, rules, through);
        [read, head] = [through, revision];
      }
      const { wakes, removals } = queue.take(limits.maxCommitWrites);
      const writes = [...this.#paced(wakes), ...removals];
      await commitWakes(store, writes, this.#signal, this.#skipped);
      this.#troubles.following.over();
      this.#dealtWith(queue.done());
      if (queue.size > 0 || read < head) continue;
      meter.gauge(metric.followerBehind, 0);
      await store.advancedBeyond(read, this.#signal);
    }
  }

  #queue(queue: WakeQueue, changes: readonly Change[], rules: WakeRules, through: number): void {
    const { meter } = this.#ports;
    const found = consequencesOf(changes, rules, this.#unreadable);
    const { child, reference } = found.woken;
    if (child > 0) meter.count(metric.wakeUps, { cause: "child" }, child);
    if (reference > 0) meter.count(metric.wakeUps, { cause: "reference" }, reference);
    const isNews = changes.some(({ key }) => key.kind !== cursorKind);
    queue.add(found, { through, isNews });
  }

  #dealtWith(page: ReadPage | undefined): void {
    if (page === undefined) return;
    this.#isMoved ||= page.isNews;
    this.#place = { revision: page.through, isComplete: true };
  }

  #paced(wakes: readonly Schedule[]): readonly Schedule[] {
    const nowMs = this.#ports.clock.nowMs();
    let late = 0;
    const paced = wakes.map((write): Schedule => {
      const afterMs = this.#pace.delayMs(write.key, nowMs);
      if (afterMs === 0) return write;
      late += 1;
      return { ...write, due: { kind: "wake", afterMs } };
    });
    if (late > 0) this.#ports.meter.count(metric.wakeUpsPaced, {}, late);
    return paced;
  }

  /** How far the head has gone on while nothing could be done. */
  async #tellBehind(): Promise<void> {
    try {
      const { revision } = await this.#ports.store.head();
      const done = this.#place?.revision ?? revision;
      this.#ports.meter.gauge(metric.followerBehind, Math.max(0, revision - done));
    } catch {
      // The store is not there either, as has been told.
    }
  }

  readonly #unreadable = ({ key, revision }: Change, error: unknown): void => {
    this.#passOver({ error, key, revision }, "change not readable, no resource woken");
  };

  readonly #skipped: Skipped = ({ key }, error) => {
    this.#passOver({ error, key }, "wake not stored, skipped");
  };

  #passOver(fields: Readonly<Record<string, unknown>>, text: string): void {
    this.#ports.log.error(fields, text);
    this.#ports.meter.count(metric.wakeUpsSkipped);
  }

  async #placeToBeginAt(): Promise<Place> {
    const { store } = this.#ports;
    if (!this.#isLogGone) return this.#place ?? (await readPlace(store));
    const { revision } = await store.head();
    this.#isLogGone = false;
    this.#rules = undefined;
    return { revision, isComplete: false };
  }

  async #loadRules(): Promise<WakeRules> {
    const { store, resources } = this.#ports;
    const index = await loadReferenceIndex(store, this.#signal, (key, error) => {
      this.#passOver({ error, key }, "journal not readable, its references wake no resource");
    });
    const { quietKinds = [] } = resources;
    const quiet = await loadQuietStatus(store, quietKinds, this.#signal);
    const reconciled = new Set(await adoptedKinds(store));
    return { index, quiet, reconciled, resources };
  }
}

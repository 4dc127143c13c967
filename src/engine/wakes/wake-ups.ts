// Wakes those whom a change concerns: owners of what changed, and those who refer to it. One
// process at a time does this for all, following the log from a stored place, so nothing is missed
// when it changes hands and an idle store is left alone. Should the log have been compacted beyond
// that place, every resource that is reconciled is woken once instead.

import { isSetpointError } from "../../kernel/errors.ts";
import { limits } from "../../kernel/limits.ts";
import { every } from "../../kernel/timers.ts";
import type { ClaimRef } from "../../store/port.ts";
import { adoptedKinds } from "./adoption.ts";
import { consequencesOf } from "./changes-to-wakes.ts";
import type { WakeRules } from "./changes-to-wakes.ts";
import { claimCursor, keepCursor, readPlace, writePlace } from "./cursor.ts";
import type { Place } from "./cursor.ts";
import { metric } from "../reporting/metric-names.ts";
import { cursorKind } from "../names.ts";
import type { EnginePorts } from "../ports.ts";
import { loadReferenceIndex } from "./reference-index.ts";
import { unlessAborted } from "../run/unless-aborted.ts";
import { wakeEverything } from "./wake-everything.ts";
import { commitWakes } from "./wakes.ts";

export type WakeUpPorts = Pick<EnginePorts, "store" | "resources" | "timers" | "log" | "meter">;

/** Disposing of it hands the claim back. */
export type WakeUps = AsyncDisposable;

const persistMs = 2_000;
const retryMs = 500;

export function startWakeUps(ports: WakeUpPorts, owner: string): WakeUps {
  const stop = new AbortController();
  const running = run(ports, owner, stop.signal);
  return {
    [Symbol.asyncDispose]: async () => {
      stop.abort();
      await running;
    },
  };
}

async function run(ports: WakeUpPorts, owner: string, stop: AbortSignal): Promise<void> {
  while (!stop.aborted) {
    try {
      const claim = await claimCursor(ports, owner, stop);
      await hold(ports, claim, stop);
    } catch (error) {
      if (stop.aborted) return;
      ports.log.warn({ error }, "the log is not followed from here for now");
      await ports.timers.sleep(retryMs, stop).catch(() => undefined);
    }
  }
}

/** Follows the log until the claim is lost (rejects) or it is time to stop. */
async function hold(ports: WakeUpPorts, claim: ClaimRef, stop: AbortSignal): Promise<void> {
  const ended = new AbortController();
  const signal = AbortSignal.any([stop, ended.signal]);
  const follower = new Follower(ports, claim, signal);
  const tasks = [
    keepCursor(ports, claim, signal),
    follower.follow(),
    every(ports.timers, persistMs, () => follower.persist(), signal),
  ];
  try {
    await Promise.race(tasks);
  } catch (error) {
    if (!stop.aborted) throw error;
  } finally {
    ended.abort();
    await Promise.allSettled(tasks);
  }
  await follower.handBack();
}

class Follower {
  readonly #ports: WakeUpPorts;
  readonly #claim: ClaimRef;
  readonly #signal: AbortSignal;
  #place: Place | undefined;
  #rules: WakeRules | undefined;
  /** Whether the log does not go back to the stored place any more. */
  #isLogGone = false;
  /** Whether anything but the cursor itself was dealt with since the place was stored. */
  #isMoved = false;

  constructor(ports: WakeUpPorts, claim: ClaimRef, signal: AbortSignal) {
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
        this.#isLogGone ||= isSetpointError(error, "history.gone");
        this.#ports.log.warn({ error }, "following the log is tried again");
        await this.#ports.timers.sleep(retryMs, this.#signal);
      }
    }
  }

  async persist(): Promise<void> {
    if (!this.#isMoved || this.#place === undefined) return;
    this.#isMoved = false;
    try {
      const writing = writePlace(this.#ports.store, this.#claim, this.#place);
      await unlessAborted(writing, this.#signal);
    } catch (error) {
      this.#isMoved = true;
      if (this.#signal.aborted || isSetpointError(error, "claim.lost")) throw error;
      this.#ports.log.warn({ error }, "the place in the log could not be stored");
    }
  }

  async handBack(): Promise<void> {
    try {
      this.#place ??= await readPlace(this.#ports.store);
      await writePlace(this.#ports.store, this.#claim, this.#place, { isLast: true });
    } catch (error) {
      this.#ports.log.warn({ error }, "the claim on the log could not be handed back");
    }
  }

  async #followOn(): Promise<void> {
    const { store, meter } = this.#ports;
    const signal = this.#signal;
    let place = await unlessAborted(this.#placeToBeginAt(), signal);
    this.#rules ??= await unlessAborted(this.#loadRules(), signal);
    if (!place.isComplete) {
      await wakeEverything(store, this.#rules, signal);
      place = { ...place, isComplete: true };
      this.#isMoved = true;
    }
    this.#place = place;
    for (;;) {
      const reading = store.changes(place.revision, limits.eventPageItems);
      const { changes, through, revision } = await unlessAborted(reading, signal);
      const { writes, woken } = consequencesOf(changes, this.#rules);
      await commitWakes(store, writes, signal);
      if (woken.child > 0) meter.count(metric.wakeUps, { cause: "child" }, woken.child);
      if (woken.reference > 0) meter.count(metric.wakeUps, { cause: "reference" }, woken.reference);
      this.#isMoved ||= changes.some(({ key }) => key.kind !== cursorKind);
      place = { revision: through, isComplete: true };
      this.#place = place;
      if (through >= revision) await store.advancedBeyond(through, signal);
    }
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
    const index = await loadReferenceIndex(store, this.#signal);
    const reconciled = new Set(await adoptedKinds(store));
    return { index, reconciled, resources };
  }
}

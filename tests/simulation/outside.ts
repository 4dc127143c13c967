// The world outside that reconcilers act on. It remembers the state of each thing and under which
// token it was last changed, refuses older tokens, and does what outsides do: it is slow, fails,
// hangs, asks for patience, and for some resources it never works, or takes the process down.

import { failed, ReconcileFailure } from "../../src/engine/outcome.ts";
import type { Agenda } from "./agenda.ts";
import type { Body } from "./bodies.ts";
import type { CallKind, Network } from "./network.ts";
import type { Dice } from "./dice.ts";
import type { SimulatedProcess } from "./process.ts";
import { Violation } from "./violation.ts";

export const moods = [
  "fails",
  "throws",
  "slow",
  "patience",
  "fatal",
  "hangs",
  "deaf",
  "crashes",
] as const;

/** How it treats one resource: fine, or as one of the poisons above. */
export type Mood = "fine" | (typeof moods)[number];

export interface Thing {
  readonly name: string;
  readonly state: string | undefined;
  readonly generation: number;
  readonly token: number;
  readonly atMs: number;
}

export interface ExternalCounts {
  effects: number;
  removals: number;
  staleRefused: number;
  poisonings: number;
}

export interface Habits {
  /** The longest that it usually takes. */
  readonly mostMs: number;
  /** How many calls the bulkhead of a process lets in at a time. */
  readonly calls: number;
}

const put: CallKind = { name: "outside.put", hasEffect: true, isStore: false };
const take: CallKind = { name: "outside.remove", hasEffect: true, isStore: false };

export class Outside {
  readonly counts: ExternalCounts = { effects: 0, removals: 0, staleRefused: 0, poisonings: 0 };
  readonly #things = new Map<string, Thing>();
  readonly #moods = new Map<string, Mood>();
  readonly #agenda: Agenda;
  readonly #network: Network;
  readonly #dice: Dice;
  readonly #habits: Habits;
  /** The calls of a process that are under its bulkhead, by their signals. */
  readonly #inside = new Map<SimulatedProcess, Set<AbortSignal>>();

  constructor(agenda: Agenda, network: Network, dice: Dice, habits: Habits) {
    this.#agenda = agenda;
    this.#network = network;
    this.#dice = dice;
    this.#habits = habits;
  }

  thing(uid: string): Thing | undefined {
    return this.#things.get(uid);
  }

  /** By the name of the resource, which a re-created one keeps. */
  moodOf(name: string): Mood {
    return this.#moods.get(name) ?? "fine";
  }

  setMood(name: string, mood: Mood): void {
    this.#moods.set(name, mood);
  }

  /** Everything works from now on. */
  heal(): readonly string[] {
    const healed = [...this.#moods.keys()];
    this.#moods.clear();
    return healed;
  }

  /** With a signal of its own where the call has one; else that of the run counts. */
  async put(body: Body, state: string, signal: AbortSignal = body.signal): Promise<void> {
    await this.#reach(body, put, signal, () => this.#change(body, state));
  }

  /** As `put`, by a call that has to pass the bulkhead of its process. */
  async putInside(body: Body, state: string, signal: AbortSignal): Promise<void> {
    const inside = this.#inside.get(body.process) ?? new Set();
    this.#inside.set(body.process, inside.add(signal));
    // Whoever was told to stop and does not has lost its place.
    const going = [...inside].filter(({ aborted }) => !aborted).length;
    if (going > this.#habits.calls) {
      const text = `${body.name} is inside as one of ${going}, not ${this.#habits.calls}`;
      this.#agenda.fail(new Violation("bulkhead-kept", text));
    }
    try {
      await this.put(body, state, signal);
    } finally {
      inside.delete(signal);
    }
  }

  async remove(body: Body): Promise<void> {
    await this.#reach(body, take, body.signal, () => this.#change(body, undefined));
  }

  #change(body: Body, state: string | undefined): void {
    const { uid, token, generation, key } = body;
    const before = this.#things.get(uid);
    if (before !== undefined && before.token > token) {
      this.counts.staleRefused += 1;
      throw new Error(`${key.name}: token ${token} is older than ${before.token}`);
    }
    if (before !== undefined && before.generation > generation) {
      const text = `${key.name}: generation ${generation} after ${before.generation}`;
      throw new Violation("no-old-effects", text);
    }
    const atMs = this.#agenda.nowMs;
    this.#things.set(uid, { name: key.name, state, generation, token, atMs });
    if (state === undefined) this.counts.removals += 1;
    else this.counts.effects += 1;
  }

  async #reach(body: Body, kind: CallKind, signal: AbortSignal, change: () => void): Promise<void> {
    body.checkStillHeld();
    const mood = this.moodOf(body.key.name);
    if (mood !== "fine") await this.#treat(body, mood, signal);
    const waitMs = this.#dice.delay(this.#habits.mostMs);
    if (waitMs > 0) await body.process.timers.sleep(waitMs, signal);
    body.checkStillHeld();
    // What has been sent takes effect even when its sender no longer listens.
    const sent = this.#network.call(body.process, kind, async () => {
      await Promise.resolve(this.#guarded(change));
    });
    await unlessAborted(sent, signal);
  }

  /** A violation ends the run; thrown to the reconciler it would pass for a failed call. */
  #guarded(change: () => void): void {
    try {
      change();
    } catch (error) {
      if (error instanceof Violation) this.#agenda.fail(error);
      throw error;
    }
  }

  async #treat(body: Body, mood: Mood, signal: AbortSignal): Promise<void> {
    this.counts.poisonings += 1;
    switch (mood) {
      case "fails":
        throw new ReconcileFailure(failed("Refused", "it does not want to"));
      case "throws":
        throw new Error("it broke");
      case "slow":
        throw new ReconcileFailure(failed("Busy", "not today", { retry: "slow" }));
      case "patience":
        throw new ReconcileFailure(failed("Busy", "wait", { afterMs: 7_000 }));
      case "fatal":
        throw new ReconcileFailure(failed("Hopeless", "it will never work", { retry: "never" }));
      case "hangs":
        return await body.process.timers.sleep(Number.MAX_SAFE_INTEGER, signal);
      case "deaf":
        return await body.process.timers.sleep(90_000);
      case "crashes":
        body.process.end();
        return await body.process.timers.sleep(1);
      case "fine":
        return undefined;
      default:
        return mood satisfies never;
    }
  }
}

/** What was sent takes its course; who is told to stop does not wait for it. */
async function unlessAborted<T>(sent: Promise<T>, signal: AbortSignal): Promise<T> {
  // Its failure is heard below, or by nobody any more.
  sent.catch(() => undefined);
  signal.throwIfAborted();
  const { promise, reject } = Promise.withResolvers<never>();
  const abort = (): void => reject(signal.reason);
  signal.addEventListener("abort", abort, { once: true });
  try {
    return await Promise.race([sent, promise]);
  } finally {
    signal.removeEventListener("abort", abort);
  }
}

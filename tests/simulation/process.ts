// One simulated process. It lives by a clock, timers, chance and identities of its own. When it
// crashes, nothing that it waited for ever comes, which is all that a program can notice of its
// own end. When it is paused (as by SIGSTOP) everything that would reach it waits, and then comes
// at once and in any order, while the leases that it believes to hold have run out.

import type { Clock } from "../../src/kernel/clock.ts";
import { seededIds } from "../../src/kernel/ids.ts";
import type { Ids } from "../../src/kernel/ids.ts";
import type { Random } from "../../src/kernel/random.ts";
import { timersFrom } from "../../src/kernel/timers.ts";
import type { Timers } from "../../src/kernel/timers.ts";
import type { Agenda } from "./agenda.ts";
import type { Dice } from "./dice.ts";

/** What processes read at the beginning of true time. */
export const epochMs = Date.UTC(2026, 0, 1);

export class SimulatedProcess {
  readonly name: string;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly random: Random;
  readonly ids: Ids;
  readonly dice: Dice;
  /** What it has asked of others and not been told yet, and the timers that it has set. */
  openCalls = 0;
  openTimers = 0;
  /** It was told to stop in the orderly way. */
  isStopping = false;
  /** Calls made in all. */
  calls = 0;
  /** When it last was paused, in true time: what it believes about leases is off since then. */
  #pausedUntilMs = Number.NEGATIVE_INFINITY;
  /** Until then it is cut off: what it sends and what it would be told waits. */
  cutOffUntilMs = 0;
  /** Until then the store refuses what it sends. */
  refusedUntilMs = 0;
  readonly #agenda: Agenda;
  #life: "running" | "paused" | "over" = "running";
  #clockOffsetMs: number;
  #waiting: (() => void)[] = [];
  readonly #onEnd: (() => void)[] = [];

  constructor(name: string, agenda: Agenda, dice: Dice) {
    this.name = name;
    this.#agenda = agenda;
    this.dice = dice;
    this.#clockOffsetMs = dice.between(-3_000, 3_000);
    this.clock = { nowMs: () => epochMs + Math.floor(agenda.nowMs) + this.#clockOffsetMs };
    this.random = dice.fork("random").random;
    this.ids = seededIds(dice.fork("ids").random);
    this.timers = timersFrom((ms, run) => this.#timer(ms, run));
  }

  get isAlive(): boolean {
    return this.#life !== "over";
  }

  get isPaused(): boolean {
    return this.#life === "paused";
  }

  /** Whether it was paused at any time since then. */
  wasPausedSince(ms: number): boolean {
    return this.#life === "paused" || this.#pausedUntilMs >= ms;
  }

  /** Lets something reach the process: now, after its pause, or never. */
  deliver(run: () => void): void {
    if (this.#life === "over") return;
    if (this.#life === "paused") this.#waiting.push(run);
    else run();
  }

  /** A crash, or the end after a graceful stop: nothing reaches it any more. */
  end(): void {
    if (this.#life === "over") return;
    this.#life = "over";
    this.#waiting = [];
    for (const tell of this.#onEnd) tell();
  }

  onEnd(tell: () => void): void {
    this.#onEnd.push(tell);
  }

  pause(ms: number): void {
    if (this.#life !== "running") return;
    this.#life = "paused";
    this.#agenda.after(ms, () => this.#resume());
  }

  stepClock(byMs: number): void {
    this.#clockOffsetMs += byMs;
  }

  #resume(): void {
    if (this.#life !== "paused") return;
    this.#life = "running";
    this.#pausedUntilMs = this.#agenda.nowMs;
    const waiting = this.dice.shuffled(this.#waiting);
    this.#waiting = [];
    for (const run of waiting) this.#agenda.after(0, () => this.deliver(run));
  }

  #timer(ms: number, run: () => void): () => void {
    let isOpen = true;
    const close = (): boolean => {
      if (!isOpen) return false;
      isOpen = false;
      this.openTimers -= 1;
      return true;
    };
    this.openTimers += 1;
    const cancel = this.#agenda.after(ms, () =>
      this.deliver(() => {
        if (close()) run();
      }),
    );
    return () => {
      if (close()) cancel();
    };
  }
}

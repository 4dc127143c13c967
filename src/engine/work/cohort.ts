// One timer for many who began to wait together. A process starts thousands of runs in a second,
// and nearly all are over long before their time is up: those leave their cohort, and a cohort that
// is left by all cancels its timer.

import type { Clock } from "../../kernel/clock.ts";
import type { Timers } from "../../kernel/timers.ts";

export class Cohort<T> {
  readonly #members = new Set<T>();
  #cancel: (() => void) | undefined;
  #isOpen: boolean;
  #isOver = false;

  /** `isOpen`: others may still join, so it stays while it is empty. */
  constructor(timers: Timers, afterMs: number, end: (members: ReadonlySet<T>) => void) {
    this.#isOpen = true;
    this.#cancel = timers.after(afterMs, () => {
      this.#isOver = true;
      this.#cancel = undefined;
      end(this.#members);
    });
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  join(member: T): void {
    this.#members.add(member);
  }

  leave(member: T): void {
    this.#members.delete(member);
    this.#tidy();
  }

  /** Nobody else will join. */
  close(): void {
    this.#isOpen = false;
    this.#tidy();
  }

  #tidy(): void {
    if (this.#isOpen || this.#members.size > 0) return;
    this.#cancel?.();
    this.#cancel = undefined;
  }
}

/**
 * Ends each member after at least its time and at most a twentieth (and a second) later: whoever
 * comes within that stretch with the same time shares the timer of the first.
 */
export class Deadlines<T> {
  readonly #timers: Timers;
  readonly #clock: Clock;
  readonly #end: (member: T) => void;
  readonly #open = new Map<number, { readonly cohort: Cohort<T>; readonly sinceMs: number }>();

  constructor(timers: Timers, clock: Clock, end: (member: T) => void) {
    this.#timers = timers;
    this.#clock = clock;
    this.#end = end;
  }

  /** The member leaves the returned cohort when it is done. */
  join(member: T, afterMs: number): Cohort<T> {
    const stretchMs = Math.min(1_000, afterMs / 20);
    const nowMs = this.#clock.nowMs();
    let open = this.#open.get(afterMs);
    // A clock that was set back closes the cohort as well: nobody may be ended too early.
    if (open === undefined || open.cohort.isOver || !(Math.abs(nowMs - open.sinceMs) < stretchMs)) {
      open?.cohort.close();
      const cohort = new Cohort<T>(this.#timers, afterMs + stretchMs, (members) => {
        for (const each of members) this.#end(each);
      });
      open = { cohort, sinceMs: nowMs };
      this.#open.set(afterMs, open);
    }
    open.cohort.join(member);
    return open.cohort;
  }

  /** Leaves no timer behind. */
  stop(): void {
    for (const { cohort } of this.#open.values()) cohort.close();
    this.#open.clear();
  }
}

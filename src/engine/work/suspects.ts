// What was running when a worker was lost may be the reason. In one process such resources begin
// one after the other: when the process is lost again, there is but one of them to blame, and its
// neighbours are not. Those that wait keep their claims, and as they have not begun, a loss
// meanwhile is not held against them.
//
// Who takes its process down mostly does so at once. So one that has run for a while leaves its
// place to the next, lest those who take long, or never end, hold up all others. What is lost later
// is then not held against it, because the next one is there to blame; while there is no other it
// stays the only suspect.

import { lossesOf } from "../run/start-record.ts";
import type { Run } from "../run/run.ts";

export class Suspects {
  readonly #waiting = new Set<Run>();
  #alone: Run | undefined;
  /** Whether the one that is alone has run for a while. */
  #isCleared = false;
  readonly #onCleared: (run: Run) => void;

  /** @param onCleared Told of one that leaves its place although it goes on. */
  constructor(onCleared: (run: Run) => void) {
    this.#onCleared = onCleared;
  }

  /** Whether it may go on now; it is told later otherwise. */
  admits(run: Run): boolean {
    if (lossesOf(run.current(), run.claim.attempts) === 0) return true;
    this.#waiting.add(run);
    return this.#next() === run;
  }

  isAlone(run: Run): boolean {
    return this.#alone === run;
  }

  /** One has run for a while; returns the one that may go on as well. */
  outlived(run: Run): Run | undefined {
    if (this.#alone !== run) return undefined;
    this.#isCleared = true;
    return this.#next();
  }

  /** A run has ended; returns the one that may go on instead. */
  over(run: Run): Run | undefined {
    if (this.#alone !== run) return undefined;
    this.#alone = undefined;
    return this.#next();
  }

  withdraw(run: Run): boolean {
    return this.#waiting.delete(run);
  }

  waiting(): readonly Run[] {
    return [...this.#waiting];
  }

  #next(): Run | undefined {
    const [next] = this.#waiting;
    if (next === undefined || (this.#alone !== undefined && !this.#isCleared)) return undefined;
    if (this.#alone !== undefined) this.#onCleared(this.#alone);
    this.#waiting.delete(next);
    this.#alone = next;
    this.#isCleared = false;
    return next;
  }
}

// What was running when a worker was lost may be the reason. In one process such resources are run
// one after the other: when the process is lost again, there is but one of them to blame, and its
// neighbours are not. Those that wait keep their claims, and as they have not begun, a loss
// meanwhile is not held against them.

import { lossesOf } from "../run/begun.ts";
import type { Run } from "../run/run.ts";

export class Suspects {
  readonly #waiting = new Set<Run>();
  #alone: Run | undefined;

  /** Whether it may go on now; it is told later otherwise. */
  admits(run: Run): boolean {
    if (lossesOf(run.current(), run.claim.attempts) === 0) return true;
    if (this.#alone === undefined) this.#alone = run;
    else this.#waiting.add(run);
    return this.#alone === run;
  }

  /** A run has ended; returns the one that may go on instead. */
  over(run: Run): Run | undefined {
    if (this.#alone !== run) return undefined;
    [this.#alone] = this.#waiting;
    if (this.#alone !== undefined) this.#waiting.delete(this.#alone);
    return this.#alone;
  }

  withdraw(run: Run): boolean {
    return this.#waiting.delete(run);
  }

  waiting(): readonly Run[] {
    return [...this.#waiting];
  }
}

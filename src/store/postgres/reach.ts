/**
 * Whether the database is within reach. Work waits through a short absence: a restart or a failover
 * shows as a delay. One that has lasted longer than anybody would have waited is known, and nobody
 * who comes then waits for more than a moment. The listener, which tries to connect all the time,
 * with its full time for each try, finds that it is over.
 */
import type { Clock } from "../../kernel/clock.ts";

/** What is waited for a database that is known to be away. */
const momentMs = 1_000;

export class Reach {
  readonly #clock: Clock;
  #awaySinceMs: number | undefined;
  #wasReached = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Whether it has ever answered: then the settings were right once. */
  get wasReached(): boolean {
    return this.#wasReached;
  }

  answered(): void {
    this.#awaySinceMs = undefined;
    this.#wasReached = true;
  }

  failed(): void {
    this.#awaySinceMs ??= this.#clock.nowMs();
  }

  /** How long to wait where one would usually wait this long. */
  patienceMs(usualMs: number): number {
    if (this.#awaySinceMs === undefined) return usualMs;
    const isKnown = this.#clock.nowMs() - this.#awaySinceMs >= usualMs;
    return isKnown ? Math.min(usualMs, momentMs) : usualMs;
  }
}

// How quickly runs end, which decides how far to claim ahead: what finishes in microseconds needs a
// stock of work beside it, since asking the database takes longer than the work; what takes its
// time needs none. The mean follows the last few dozen runs. A single one that took very long
// counts only for a second, so that it does not hide what the others do.

const share = 1 / 16;
const longestMs = 1_000;
/** Nothing is taken to be quicker: a clock of milliseconds cannot tell. */
const shortestMs = 0.05;

export class Pace {
  #meanMs = Number.NaN;

  note(tookMs: number): void {
    const countedMs = Math.min(longestMs, Math.max(shortestMs, tookMs));
    this.#meanMs = Number.isNaN(this.#meanMs)
      ? countedMs
      : this.#meanMs + (countedMs - this.#meanMs) * share;
  }

  /** How many runs are expected to end in this time, so many going on at once; 0 when unknown. */
  within(ms: number, places: number): number {
    return Number.isNaN(this.#meanMs) ? 0 : Math.floor((Math.max(0, places) * ms) / this.#meanMs);
  }
}

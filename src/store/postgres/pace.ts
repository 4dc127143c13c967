/**
 * Whether a process commits all the time: the last answers of the database came close together. A
 * burst that has begun goes on at half of the pace, so that it does not begin again and again.
 */
const answersOfBurst = 5;
const beginMs = 20;
const goOnMs = 40;

export class Pace {
  /** When the last ones came, oldest first. */
  readonly #atMs: number[] = [];

  /** True when this one makes it a burst. */
  answered(nowMs: number): boolean {
    this.#atMs.push(nowMs);
    if (this.#atMs.length > answersOfBurst) this.#atMs.shift();
    return this.#areWithin(beginMs, nowMs);
  }

  /** Whether one that has begun goes on. */
  isBurst(nowMs: number): boolean {
    return this.#areWithin(goOnMs, nowMs);
  }

  /** A clock that was set back ends it too. */
  #areWithin(ms: number, nowMs: number): boolean {
    const [firstMs = nowMs] = this.#atMs;
    return this.#atMs.length === answersOfBurst && Math.abs(nowMs - firstMs) < ms;
  }
}

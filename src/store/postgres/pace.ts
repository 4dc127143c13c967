/** Whether a process commits all the time: the last answers of the database came close together. */
const answersOfBurst = 5;
const burstMs = 20;

export class Pace {
  /** When the last ones came, oldest first. */
  readonly #atMs: number[] = [];

  /** True when this one makes it a burst. */
  answered(nowMs: number): boolean {
    this.#atMs.push(nowMs);
    if (this.#atMs.length > answersOfBurst) this.#atMs.shift();
    const [firstMs = nowMs] = this.#atMs;
    return this.#atMs.length === answersOfBurst && nowMs - firstMs < burstMs;
  }
}

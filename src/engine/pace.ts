// How many of something happened lately, in about the last twentieth of a second. It decides how
// far to claim ahead: what finishes in microseconds needs a store of work beside it, what hangs
// needs none. A jump of the clock only makes one estimate too small.

const windowMs = 50;

export class Pace {
  #window = Number.NaN;
  #count = 0;
  #before = 0;

  note(nowMs: number): void {
    this.#turn(nowMs);
    this.#count += 1;
  }

  recent(nowMs: number): number {
    this.#turn(nowMs);
    return Math.max(this.#count, this.#before);
  }

  #turn(nowMs: number): void {
    const window = Math.floor(nowMs / windowMs);
    if (window === this.#window) return;
    this.#before = window === this.#window + 1 ? this.#count : 0;
    this.#count = 0;
    this.#window = window;
  }
}

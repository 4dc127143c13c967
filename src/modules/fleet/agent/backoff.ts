// Pauses after failures: 1 s, then 1.5 times longer each time, up to 10 min, each spread by a tenth
// so that the agents of many clusters do not return together.

import type { Random } from "../../../kernel/random.ts";

const firstMs = 1_000;
const factor = 1.5;
const mostMs = 600_000;

export class Backoff {
  readonly #random: Random;
  #failures = 0;

  constructor(random: Random) {
    this.#random = random;
  }

  get failures(): number {
    return this.#failures;
  }

  succeeded(): void {
    this.#failures = 0;
  }

  /** How long to wait after one more failure. */
  nextMs(): number {
    const plainMs = Math.min(mostMs, firstMs * factor ** Math.min(this.#failures, 100));
    this.#failures += 1;
    return Math.round(plainMs * (0.9 + this.#random.next() / 5));
  }
}

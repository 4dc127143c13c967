// Work that is interrupted between its parts, so that other requests run meanwhile. The work is a
// generator that yields between two parts, and its caller decides what happens there: a test or a
// thread continues at once, a request waits for its next turn (pauses.ts).

import { noPause } from "./pauses.ts";
import type { Pause } from "./pauses.ts";

export type Sliced<T> = Generator<undefined, T, undefined>;

export function atOnce<T>(work: Sliced<T>): T {
  for (;;) {
    const { done, value } = work.next();
    if (done === true) return value;
  }
}

/** Small work is done at once, without a promise. */
export function withPauses<T>(work: Sliced<T>, pause: Pause): T | Promise<T> {
  return pause === noPause ? atOnce(work) : inTurns(work, pause);
}

/** Waits for a pause between two parts. The first part runs before the function returns. */
export async function inTurns<T>(work: Sliced<T>, pause: Pause): Promise<T> {
  for (;;) {
    const { done, value } = work.next();
    if (done === true) return value;
    const waiting = pause();
    if (waiting !== undefined) await waiting;
  }
}

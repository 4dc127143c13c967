// Pauses between the steps of work on one large document. Each step is bounded by the limits on
// documents; several of them without a pause would block the event loop for too long. Steps of all
// large documents run one at a time, and after each one the event loop belongs to other requests
// for as long as the step took: large documents use at most half of it, however many there are. A
// small document is processed without pauses.

import { limits } from "./limits.ts";

/** Undefined where no pause is needed, which costs no promise. */
export type Pause = () => Promise<void> | undefined;

export function pausesFor(bytes: number): Pause {
  return bytes < limits.minSlicedBytes ? noPause : nextTurn;
}

/** Resolves when the caller may run its next step. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    waiting.add(resolve);
    if (!isRunning) runNext();
  });
}

/** In the order of their requests. */
const waiting = new Set<() => void>();
let isRunning = false;

function runNext(): void {
  const [next] = waiting;
  isRunning = next !== undefined;
  if (next === undefined) return;
  waiting.delete(next);
  setImmediate(() => {
    const startMs = performance.now();
    next();
    // The step runs before the following callback.
    setImmediate(() => {
      const restMs = Math.min(performance.now() - startMs, limits.maxStepRestMs);
      setTimeout(runNext, restMs);
    });
  });
}

function noPause(): undefined {
  return undefined;
}

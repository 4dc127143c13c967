// Pauses between the steps of work on one large document. Each step is bounded by the limits on
// documents; several of them without a pause would block the event loop for too long. A small
// document is processed without pauses.

import { limits } from "./limits.ts";

/** Undefined where no pause is needed, which costs no promise. */
export type Pause = () => Promise<void> | undefined;

export function pausesFor(bytes: number): Pause {
  return bytes < limits.minSlicedBytes ? noPause : nextTurn;
}

/** Resolves in the next turn of the event loop, after input and output that is ready. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}

function noPause(): undefined {
  return undefined;
}

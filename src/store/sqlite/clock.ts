/**
 * The time of the database: never goes back, and never stands still for long. When the wall clock
 * is set back, leases must neither come alive again nor last for the length of the jump, so time
 * goes on from where it was, ahead of the wall clock until the process ends.
 */
import type { Clock } from "../../kernel/clock.ts";

export interface DatabaseClock extends Clock {
  /** For tests: moves time forward. */
  advanceMs(ms: number): void;
}

export function databaseClock(wall: Clock): DatabaseClock {
  let aheadMs = 0;
  let lastMs = Number.NEGATIVE_INFINITY;
  return {
    nowMs: () => {
      const nowMs = wall.nowMs() + aheadMs;
      if (nowMs < lastMs) aheadMs += lastMs - nowMs;
      lastMs = Math.max(nowMs, lastMs);
      return lastMs;
    },
    advanceMs: (ms) => {
      aheadMs += ms;
    },
  };
}

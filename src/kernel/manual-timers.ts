// Timers for tests and the simulator, driven by a manual clock. Time moves from one due timer to
// the next, and all promises that a timer woke have run before the following one fires, so the
// order of events depends on due times and on the order of requests alone, never on the machine.

import assert from "node:assert/strict";
import type { ManualClock } from "./clock.ts";
import { timersFrom } from "./timers.ts";
import type { Timers } from "./timers.ts";

export interface ManualTimers extends Timers {
  /** Moves the clock forward, firing what becomes due on the way in order. */
  advance(ms: number): Promise<void>;
  /** Runs what needs no timer; what is due already waits for the next advance. */
  settle(): Promise<void>;
  /** Jumps from timer to timer until none is left; fails after `maxFired`, as a loop never ends. */
  runAll(maxFired?: number): Promise<void>;
  pendingCount(): number;
}

interface Pending {
  readonly dueMs: number;
  readonly run: () => void;
}

export function manualTimers(clock: ManualClock): ManualTimers {
  // A Set keeps the order of insertion, which breaks ties between equal due times.
  const pending = new Set<Pending>();

  const fireNext = async (untilMs: number): Promise<boolean> => {
    await settled();
    const next = earliest(pending);
    if (next === undefined || next.dueMs > untilMs) return false;
    pending.delete(next);
    if (next.dueMs > clock.nowMs()) clock.setMs(next.dueMs);
    next.run();
    return true;
  };

  const timers = timersFrom((ms, run) => {
    const entry = { dueMs: clock.nowMs() + Math.max(0, ms), run };
    pending.add(entry);
    return () => pending.delete(entry);
  });

  return {
    ...timers,
    advance: async (ms) => {
      const untilMs = clock.nowMs() + ms;
      while (await fireNext(untilMs));
      if (untilMs > clock.nowMs()) clock.setMs(untilMs);
      await settled();
    },
    settle: settled,
    runAll: async (maxFired = 100_000) => {
      let fired = 0;
      while (await fireNext(Number.POSITIVE_INFINITY)) {
        fired += 1;
        assert.ok(fired < maxFired, `timers still pending after ${maxFired} have fired`);
      }
    },
    pendingCount: () => pending.size,
  };
}

function earliest(pending: Iterable<Pending>): Pending | undefined {
  let found: Pending | undefined;
  for (const entry of pending) {
    if (found === undefined || entry.dueMs < found.dueMs) found = entry;
  }
  return found;
}

/** All microtasks, however long their chain, run before an immediate does. */
function settled(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}

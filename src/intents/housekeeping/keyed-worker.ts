// Does one piece of work per key, one at a time, again when it failed or asked to be called again.
// A key that is added while its work runs is worked on once more, so no change is missed.

import type { Timers } from "../../kernel/timers.ts";

/** Milliseconds until the same key should be looked at again; undefined when it is settled. */
export type KeyedWork = (key: string) => Promise<number | undefined>;

export interface KeyedWorker extends AsyncDisposable {
  add(key: string): void;
}

export interface KeyedWorkerInput {
  readonly work: KeyedWork;
  readonly timers: Timers;
  readonly onError: (error: unknown, key: string) => void;
}

const firstRetryMs = 200;
const longestRetryMs = 30_000;

export function keyedWorker({ work, timers, onError }: KeyedWorkerInput): KeyedWorker {
  const waiting = new Set<string>();
  const failures = new Map<string, number>();
  const cancels = new Set<() => void>();
  let running: Promise<void> | undefined;
  let isStopped = false;

  const addLater = (key: string, ms: number): void => {
    const cancel = timers.after(ms, () => {
      cancels.delete(cancel);
      add(key);
    });
    cancels.add(cancel);
  };

  const perform = async (key: string): Promise<void> => {
    try {
      const againMs = await work(key);
      failures.delete(key);
      if (againMs !== undefined && !isStopped) addLater(key, againMs);
    } catch (error) {
      if (isStopped) return;
      onError(error, key);
      const count = (failures.get(key) ?? 0) + 1;
      failures.set(key, count);
      addLater(key, Math.min(longestRetryMs, firstRetryMs * 2 ** count));
    }
  };

  const run = async (): Promise<void> => {
    for (const key of waiting) {
      if (isStopped) return;
      waiting.delete(key);
      await perform(key);
    }
  };

  const add = (key: string): void => {
    if (isStopped) return;
    waiting.add(key);
    running ??= run().finally(() => {
      running = undefined;
    });
  };

  return {
    add,
    [Symbol.asyncDispose]: async () => {
      isStopped = true;
      for (const cancel of cancels) cancel();
      await running;
    },
  };
}

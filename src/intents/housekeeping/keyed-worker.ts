// Does one piece of work per key, again when it failed or asked to be called again. A few keys are
// worked on at once, so that a slow one does not hold up the others, and never one key twice at a
// time. A key that is added while its work runs is worked on once more, so no change is missed.

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
const keysAtOnce = 8;

export function keyedWorker({ work, timers, onError }: KeyedWorkerInput): KeyedWorker {
  const waiting = new Set<string>();
  const failures = new Map<string, number>();
  const cancels = new Set<() => void>();
  const running = new Map<string, Promise<void>>();
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

  const next = (): void => {
    for (const key of waiting) {
      if (isStopped || running.size >= keysAtOnce) return;
      if (running.has(key)) continue;
      waiting.delete(key);
      // Begun a moment later, so that work which adds its own key finds it running.
      const done = Promise.resolve()
        .then(() => perform(key))
        .finally(() => {
          running.delete(key);
          next();
        });
      running.set(key, done);
    }
  };

  const add = (key: string): void => {
    if (isStopped) return;
    waiting.add(key);
    next();
  };

  return {
    add,
    [Symbol.asyncDispose]: async () => {
      isStopped = true;
      for (const cancel of cancels) cancel();
      await Promise.all(running.values());
    },
  };
}

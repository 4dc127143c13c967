// Lets a bounded number of runs go ahead; the others wait in the order in which they came, and no
// more of them than fit into the queue.

export interface RunSlots {
  /** False: the queue is full. Rejects with the reason of the signal when it aborts. */
  take(signal: AbortSignal): Promise<boolean>;
  release(): void;
}

export function runSlots(maxRunning: number, maxWaiting: number): RunSlots {
  let running = 0;
  const waiting = new Set<() => void>();
  return {
    take: async (signal) => {
      signal.throwIfAborted();
      if (running < maxRunning) {
        running += 1;
        return true;
      }
      if (waiting.size >= maxWaiting) return false;
      const turn = Promise.withResolvers<void>();
      const go = (): void => turn.resolve();
      waiting.add(go);
      const onAbort = (): void => {
        // A run that already got its slot uses it, and sees the abort there.
        if (waiting.delete(go)) turn.reject(signal.reason);
      };
      signal.addEventListener("abort", onAbort, { once: true });
      try {
        await turn.promise;
      } finally {
        signal.removeEventListener("abort", onAbort);
      }
      return true;
    },
    release: () => {
      const [next] = waiting;
      if (next === undefined) {
        running -= 1;
        return;
      }
      // The slot is handed over, so that no run that comes now can overtake.
      waiting.delete(next);
      next();
    },
  };
}

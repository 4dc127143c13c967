// Turns of this process at what several resources write together, such as the list in the object of
// their parent: reading it, changing it and sending it back is for one at a time. Between processes
// an ETag does the same, where the service has one.

export interface Turns {
  /** Does the work when all that asked for the key before have done theirs. */
  take<T>(key: string, signal: AbortSignal, work: () => Promise<T>): Promise<T>;
}

export function openTurns(): Turns {
  const last = new Map<string, Promise<void>>();
  return {
    take: async (key, signal, work) => {
      const before = last.get(key) ?? Promise.resolve();
      const own = Promise.withResolvers<void>();
      const after = before.then(() => own.promise);
      last.set(key, after);
      const forget = (): boolean => last.get(key) === after && last.delete(key);
      void after.then(forget);
      try {
        await untilDone(before, signal);
        return await work();
      } finally {
        own.resolve();
      }
    },
  };
}

async function untilDone(before: Promise<void>, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  const ended = Promise.withResolvers<never>();
  const onAbort = (): void => {
    ended.reject(signal.reason instanceof Error ? signal.reason : new Error("the run was aborted"));
  };
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    await Promise.race([before, ended.promise]);
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}

// The port for waiting. System timers accept any length (the platform's own fire at once beyond
// 24.8 days). `sleep` and `every` are built on the one primitive, so real and manual timers cannot
// differ in how they treat an abort: an aborted wait rejects with the signal's reason and leaves
// no timer behind.

export interface Timers {
  /** Calls `run` once after at least `ms`; the returned function cancels it. */
  after(ms: number, run: () => void): () => void;
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

const longestTimeoutMs = 2 ** 31 - 1;

export const systemTimers: Timers = timersFrom((ms, run) => {
  let leftMs = ms;
  let handle: ReturnType<typeof setTimeout>;
  const arm = (): void => {
    const stepMs = Math.min(leftMs, longestTimeoutMs);
    leftMs -= stepMs;
    handle = setTimeout(leftMs > 0 ? arm : run, stepMs);
  };
  arm();
  return () => clearTimeout(handle);
});

/** Completes the port from its primitive. */
export function timersFrom(after: Timers["after"]): Timers {
  return { after, sleep: (ms, signal) => sleep(after, ms, signal) };
}

/**
 * Performs a task again and again with a pause between the end of one and the start of the next.
 * Resolves when the signal aborts; rejects when the task does, so that no failure is swallowed.
 */
export async function every(
  timers: Timers,
  pauseMs: number,
  task: () => Promise<void> | void,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    try {
      await timers.sleep(pauseMs, signal);
    } catch (error) {
      if (signal.aborted) return;
      throw error;
    }
    await task();
  }
}

async function sleep(after: Timers["after"], ms: number, signal?: AbortSignal): Promise<void> {
  signal?.throwIfAborted();
  const { promise, resolve } = Promise.withResolvers<void>();
  const wake = (): void => resolve();
  const cancel = after(ms, wake);
  signal?.addEventListener("abort", wake, { once: true });
  await promise;
  cancel();
  signal?.removeEventListener("abort", wake);
  signal?.throwIfAborted();
}

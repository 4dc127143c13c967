// The limits of isolated modules. They are described in docs/reference/engine.md.

export const isolationLimits = Object.freeze({
  /** Between two beats of a module's thread, and between two looks at them. */
  beatMs: 250,
  /** A thread that is blocked for this long is terminated, unless the configuration says more. */
  blockedMs: 5_000,
  /** Importing a module may block its thread for this many times as long. */
  loadFactor: 3,
  /** A hook, a converter or an action that takes longer fails its request or run. */
  callMs: 30_000,
  /** How long runs of a version that was replaced may take until its thread is terminated. */
  retireMs: 60_000,
  /** Heap of one module. A module that needs more is terminated. */
  heapMib: 512,
  /** The pause before a module starts again; it doubles with each stop, up to the longest. */
  firstRestartMs: 250,
  longestRestartMs: 60_000,
  /** A module that has run for this long starts with the first pause after its next stop. */
  settledMs: 60_000,
  /** Threads of one module that were terminated and have not ended, as in a system call. */
  mostStuckThreads: 3,
  /** Runs that have ended and whose context still answers code that they left behind. */
  endedRuns: 64,
  /** Errors that keep their identity when they come back from the other thread. */
  keptErrors: 1_000,
  /** Nesting of a value that is sent; deeper values are refused. */
  maxDepth: 200,
});

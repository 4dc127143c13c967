// Listeners of a signal that thousands wait for, such as the stop of a server. A signal searches
// all of its listeners when one is added or removed, so here all of them share one.

const shared = new WeakMap<AbortSignal, Set<() => void>>();

/** Calls `run` once, when the signal is aborted. Returns a function that cancels it. */
export function onAbort(signal: AbortSignal, run: () => void): () => void {
  const runs = shared.get(signal) ?? listened(signal);
  // The same function may be given twice.
  const entry = (): void => run();
  runs.add(entry);
  return () => runs.delete(entry);
}

function listened(signal: AbortSignal): Set<() => void> {
  const runs = new Set<() => void>();
  shared.set(signal, runs);
  signal.addEventListener("abort", () => runs.forEach((run) => run()), { once: true });
  return runs;
}

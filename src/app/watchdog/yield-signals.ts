// While the event loop is blocked, the handlers of SIGTERM and SIGINT cannot run. Removing them
// gives the signals their default action, which ends the process at once. The handlers return with
// the next beat of the loop. A signal that arrived before the removal waits for the loop.

const names = ["SIGTERM", "SIGINT"] as const;

type Listener = (...given: unknown[]) => void;

export interface YieldedSignals {
  release(): void;
  restore(): void;
}

export function yieldSignals(
  events: Pick<NodeJS.EventEmitter, "rawListeners" | "removeListener" | "on"> = process,
): YieldedSignals {
  let removed: { readonly name: string; readonly listener: Listener }[] = [];
  return {
    release: () => {
      for (const name of names) {
        for (const listener of events.rawListeners(name) as Listener[]) {
          events.removeListener(name, listener);
          removed.push({ name, listener });
        }
      }
    },
    restore: () => {
      if (removed.length === 0) return;
      for (const { name, listener } of removed) events.on(name, listener);
      removed = [];
    },
  };
}

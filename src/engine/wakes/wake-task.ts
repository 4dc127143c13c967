// A leader task that wakes resources when others change which they do not refer to: for example
// every resource of one kind when any of another kind is created. Wakes within a short time are
// committed together, one for each resource. A failure ends the task. The engine starts it again,
// in this process or another, and it follows from the beginning.
//
// A run that reads other resources from the memory of its process may see less than the leader. For
// such runs every process follows by itself: the process that is behind wakes them again when it
// has seen the change.

import { keyText } from "../../kernel/resource.ts";
import type { ResourceKey } from "../../kernel/resource.ts";
import type { Timers } from "../../kernel/timers.ts";
import type { Store } from "../../store/port.ts";
import { unlessAborted } from "../run/unless-aborted.ts";
import type { LeaderTask } from "./leader-tasks.ts";
import { commitWakes, wake } from "./wakes.ts";

export interface WakeTaskInput {
  /** For the log. */
  readonly name: string;
  readonly store: Pick<Store, "commit">;
  readonly timers: Timers;
  /**
   * Calls `wakeLater` with the resources to wake at each change, until the returned function is
   * called. It first wakes every resource that an earlier change could concern, because a deletion
   * before the start is not seen. A resource that does not exist is no error.
   */
  readonly follow: (wakeLater: (keys: Iterable<ResourceKey>) => void) => () => void;
}

const collectMs = 50;

export function wakeTask({ name, store, timers, follow }: WakeTaskInput): LeaderTask {
  return {
    name,
    lead: async (_claim, signal) => await followWakes({ store, timers, follow }, signal),
  };
}

export interface ProcessWakesInput extends WakeTaskInput {
  readonly log: {
    warn(fields: { readonly error: unknown; readonly task: string }, message: string): void;
  };
}

/** The same in every process. After a failure it follows again. Returns a function that ends it. */
export function wakesOfProcess({ name: task, log, ...input }: ProcessWakesInput): () => void {
  const stop = new AbortController();
  const run = async (): Promise<void> => {
    while (!stop.signal.aborted) {
      try {
        await followWakes(input, stop.signal);
      } catch (error) {
        log.warn({ error, task }, "resources not woken");
        // A stop ends the pause.
        await input.timers.sleep(retryMs, stop.signal).catch(() => undefined);
      }
    }
  };
  void run();
  return () => stop.abort();
}

const retryMs = 1_000;

async function followWakes(
  { store, timers, follow }: Omit<WakeTaskInput, "name">,
  signal: AbortSignal,
): Promise<void> {
  let waiting = new Map<string, ResourceKey>();
  let added = Promise.withResolvers<void>();
  const unfollow = follow((keys) => {
    for (const key of keys) waiting.set(keyText(key), key);
    if (waiting.size > 0) added.resolve();
  });
  try {
    for (;;) {
      await unlessAborted(added.promise, signal);
      await timers.sleep(collectMs, signal);
      const keys = [...waiting.values()];
      waiting = new Map();
      added = Promise.withResolvers();
      const wakes = keys.map((key) => wake(key, undefined));
      await commitWakes(store, wakes, signal);
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    unfollow();
  }
}

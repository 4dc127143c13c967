// The one follower of the log in a process. Whoever needs changes as they happen (watches, live
// views, the engine) subscribes here and gets each batch once, in order, right after its commit;
// nobody polls. Subscribers must be quick: they run one after the other. What one of them throws is
// reported and is no matter of the others.

import { assert } from "../../kernel/assert.ts";
import type { Timers } from "../../kernel/timers.ts";
import type { Change, Store } from "../../store/port.ts";

export type FeedListener = (changes: readonly Change[], through: number) => void;

export interface ChangeFeed extends AsyncDisposable {
  /** The revision up to which all subscribers have been told. */
  readonly position: number;
  /** Tells of every change > position, until the returned function is called. */
  subscribe(listener: FeedListener): () => void;
  /** Resolves once all subscribers were told of everything up to the revision. */
  reached(revision: number): Promise<void>;
}

interface Waiter {
  readonly revision: number;
  readonly resolve: () => void;
}

const retryMs = 200;

export async function openChangeFeed(
  store: Pick<Store, "head" | "changes" | "advancedBeyond">,
  { timers, onError }: { readonly timers: Timers; readonly onError: (error: unknown) => void },
): Promise<ChangeFeed> {
  const listeners = new Set<FeedListener>();
  const waiters = new Set<Waiter>();
  const stop = new AbortController();
  let position = (await store.head()).revision;

  const pump = async (): Promise<void> => {
    const page = await store.changes(position);
    if (page.changes.length > 0) {
      const last = page.changes.at(-1);
      assert(last !== undefined && last.revision > position, "the log only goes forward");
      for (const listener of listeners) {
        try {
          listener(page.changes, last.revision);
        } catch (error) {
          onError(error);
        }
      }
      position = last.revision;
      for (const waiter of waiters) {
        if (waiter.revision > position) continue;
        waiters.delete(waiter);
        waiter.resolve();
      }
      return;
    }
    await store.advancedBeyond(position, stop.signal);
  };

  const run = async (): Promise<void> => {
    while (!stop.signal.aborted) {
      try {
        await pump();
      } catch (error) {
        if (stop.signal.aborted) return;
        onError(error);
        await timers.sleep(retryMs);
      }
    }
  };
  const running = run();

  return {
    get position() {
      return position;
    },
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    reached: async (revision) => {
      if (revision <= position) return;
      await new Promise<void>((resolve) => {
        waiters.add({ revision, resolve });
      });
    },
    [Symbol.asyncDispose]: async () => {
      stop.abort();
      for (const waiter of waiters) waiter.resolve();
      await running;
    },
  };
}

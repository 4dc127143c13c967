// All resources of a kind: first those that are stored, then every change, in the order of the log.
// For state of one process that is built from resources which the live view does not hold.

import { isSetpointError } from "../../kernel/errors.ts";
import type { ChangeFeed } from "../../intents/watch/change-feed.ts";
import type { Change, Position, Store, StoredRecord } from "../../store/port.ts";

export interface FollowPorts {
  readonly store: Pick<Store, "list">;
  readonly feed: Pick<ChangeFeed, "subscribe">;
}

export interface RecordListener {
  /** A resource that was stored when following began. */
  load(record: StoredRecord): void;
  /** Forget what was loaded: loading begins again. */
  restart(): void;
  /** A later change. */
  change(change: Change): void;
}

const pageItems = 1_000;

/** Resolves when everything is loaded. The returned function ends it. */
export async function followRecords(
  { store, feed }: FollowPorts,
  kind: string,
  listener: RecordListener,
): Promise<() => void> {
  const held: Change[] = [];
  /** The feed may be behind the state that was loaded. */
  let loaded: number | undefined;
  const unsubscribe = feed.subscribe((changes) => {
    for (const change of changes) {
      if (change.key.kind !== kind) continue;
      if (loaded === undefined) held.push(change);
      else if (change.revision > loaded) listener.change(change);
    }
  });
  try {
    const snapshot = await loadAll(store, kind, listener);
    for (const change of held) if (change.revision > snapshot) listener.change(change);
    loaded = snapshot;
    return unsubscribe;
  } catch (error) {
    unsubscribe();
    throw error;
  }
}

/** The revision of the state that was loaded. */
async function loadAll(
  store: Pick<Store, "list">,
  kind: string,
  listener: RecordListener,
): Promise<number> {
  let from: Position | undefined;
  for (;;) {
    try {
      const query = { kind, limit: pageItems };
      const page = await store.list(from === undefined ? query : { ...query, from });
      for (const record of page.records) listener.load(record);
      if (page.next === undefined) return page.revision;
      from = page.next;
    } catch (error) {
      // The snapshot was compacted between two pages: begin again with a newer one.
      if (!isSetpointError(error, "history.gone")) throw error;
      from = undefined;
      listener.restart();
    }
  }
}

// What the server itself must know at every moment: definitions, namespaces, roles, webhooks. A
// live view follows the log for a few kinds and holds their newest documents in memory. A request
// that changed one of them waits until the view has seen it (`reached`), so that its effect, such
// as a new kind, is there before the client has the answer.

import { appendAll } from "../kernel/append.ts";
import { decodeDocument } from "../kernel/document.ts";
import { isSetpointError } from "../kernel/errors.ts";
import { keyText } from "../kernel/resource.ts";
import type { Resource, ResourceKey } from "../kernel/resource.ts";
import type { Change, Store, StoredRecord } from "../store/port.ts";
import type { ChangeFeed } from "./watch/change-feed.ts";

export interface LiveRecord {
  readonly key: ResourceKey;
  readonly revision: number;
  readonly resource: Resource;
}

/** `before` is absent for a creation, `after` for a deletion. */
export type LiveListener = (after: LiveRecord | undefined, before: LiveRecord | undefined) => void;

export interface LiveView {
  get(key: ResourceKey): LiveRecord | undefined;
  /** All of one kind, in no promised order. */
  all(kind: string): Iterable<LiveRecord>;
  /**
   * Calls the listener for every record that exists, and for each later change until the returned
   * function is called.
   */
  follow(kind: string, listener: LiveListener): () => void;
  /** Resolves once the view shows everything up to the revision. */
  reached(revision: number): Promise<void>;
  has(kind: string): boolean;
}

export async function openLiveView(
  store: Pick<Store, "list">,
  feed: ChangeFeed,
  kinds: readonly string[],
): Promise<LiveView> {
  const records = new Map(kinds.map((kind) => [kind, new Map<string, LiveRecord>()]));
  const listeners = new Map<string, LiveListener[]>();

  const apply = (kind: string, text: string, after: LiveRecord | undefined): void => {
    const ofKind = records.get(kind);
    if (ofKind === undefined) return;
    const before = ofKind.get(text);
    if (after !== undefined && before !== undefined && after.revision <= before.revision) return;
    if (after === undefined) ofKind.delete(text);
    else ofKind.set(text, after);
    for (const listener of listeners.get(kind) ?? []) listener(after, before);
  };

  const take = (changes: readonly Change[]): void => {
    for (const change of changes) {
      if (!records.has(change.key.kind)) continue;
      const text = keyText(change.key);
      apply(change.key.kind, text, change.type === "deleted" ? undefined : liveRecord(change));
    }
  };

  // The feed starts first and its changes are held back until the lists are in: a change that
  // both of them show is applied once, because its revision is not newer then.
  const held: Change[] = [];
  let isOpen = false;
  feed.subscribe((changes) => {
    if (isOpen) take(changes);
    else appendAll(held, changes);
  });
  for (const kind of kinds) await loadKind(store, kind, apply);
  take(held);
  isOpen = true;

  return {
    get: (key) => records.get(key.kind)?.get(keyText(key)),
    all: (kind) => records.get(kind)?.values() ?? [],
    follow: (kind, listener) => {
      listeners.set(kind, [...(listeners.get(kind) ?? []), listener]);
      for (const record of records.get(kind)?.values() ?? []) listener(record, undefined);
      return () => {
        listeners.set(
          kind,
          (listeners.get(kind) ?? []).filter((each) => each !== listener),
        );
      };
    },
    reached: (revision) => feed.reached(revision),
    has: (kind) => records.has(kind),
  };
}

async function loadKind(
  store: Pick<Store, "list">,
  kind: string,
  apply: (kind: string, text: string, after: LiveRecord) => void,
): Promise<void> {
  for (;;) {
    try {
      let page = await store.list({ kind, limit: 1_000 });
      for (;;) {
        for (const record of page.records) apply(kind, keyText(record.key), liveRecord(record));
        if (page.next === undefined) return;
        page = await store.list({ kind, limit: 1_000, from: page.next });
      }
    } catch (error) {
      // The snapshot was compacted away between two pages: begin again with a newer one.
      if (!isSetpointError(error, "history.gone")) throw error;
    }
  }
}

function liveRecord({ key, revision, body }: StoredRecord | Change): LiveRecord {
  return { key, revision, resource: decodeDocument(body, revision) };
}

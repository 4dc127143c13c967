// A kind and a store for the tests of the read model: a map that reports its changes to a feed.

import { manualClock } from "../../kernel/clock.ts";
import type { ManualClock } from "../../kernel/clock.ts";
import { encodeDocument } from "../../kernel/document.ts";
import type { JsonObject } from "../../kernel/json.ts";
import { defineKind } from "../../kernel/kind.ts";
import { manualTimers } from "../../kernel/manual-timers.ts";
import type { ManualTimers } from "../../kernel/manual-timers.ts";
import { compareKeys, keyText } from "../../kernel/resource.ts";
import type { Change, ListQuery, Page, StoredRecord } from "../../store/port.ts";
import { servedKind } from "../kinds/served-kind.ts";
import type { ServedKind } from "../kinds/served-kind.ts";
import type { ChangeFeed, FeedListener } from "../watch/change-feed.ts";

const schema = { type: "object", "x-kubernetes-preserve-unknown-fields": true };

export const sampleKind = defineKind({
  group: "shop.example",
  names: { plural: "databases", kind: "Database" },
  scope: "Namespaced",
  versions: [
    {
      name: "v1",
      served: true,
      storage: true,
      schema,
      printerColumns: [
        { name: "Storage GiB", type: "integer", jsonPath: ".spec.storageGiB" },
        { name: "Engine", type: "string", jsonPath: ".spec.engine" },
        { name: "Password", type: "string", jsonPath: ".spec.password" },
        { name: "Token", type: "string", jsonPath: ".data.token" },
        { name: "Broken", type: "string", jsonPath: ".spec[" },
      ],
    },
  ],
  fieldRules: [
    { path: "/spec/password", rule: "secret" },
    { path: "/data/*", rule: "sealed" },
  ],
});

export const sampleServed: ServedKind = servedKind({ kind: sampleKind, isReconciled: true });

export interface SampleWrite {
  readonly namespace: string;
  readonly name: string;
  /** Undefined for a deletion. */
  readonly content: JsonObject | undefined;
}

export interface SampleStore {
  readonly clock: ManualClock;
  readonly timers: ManualTimers;
  readonly feed: ChangeFeed;
  readonly records: ReadonlyMap<string, StoredRecord>;
  /** Called between the pages of a list, to let writes happen in the meantime. */
  betweenPages: () => void;
  /** How many lists were read. */
  readonly lists: number;
  write(write: SampleWrite): number;
  head(): Promise<{ revision: number; compacted: number }>;
  list(query: ListQuery): Promise<Page>;
  advancedBeyond(after: number, signal?: AbortSignal): Promise<number>;
}

const pageRecords = 3;

/** Small pages of one snapshot, in the order of the store. */
export function sampleStore(): SampleStore {
  const clock = manualClock();
  const listeners = new Set<FeedListener>();
  const records = new Map<string, StoredRecord>();
  const snapshots = new Map<number, readonly StoredRecord[]>();
  let revision = 0;
  let lists = 0;
  const sorted = (): readonly StoredRecord[] =>
    [...records.values()].sort((one, other) => compareKeys(one.key, other.key));
  const store: SampleStore = {
    clock,
    timers: manualTimers(clock),
    records,
    betweenPages: () => undefined,
    get lists() {
      return lists;
    },
    feed: {
      get position() {
        return revision;
      },
      subscribe: (listener) => {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
      reached: () => Promise.resolve(),
      [Symbol.asyncDispose]: () => Promise.resolve(),
    },
    write: ({ namespace, name, content }) => {
      revision += 1;
      const change = changeOf({ namespace, name, content }, revision);
      if (content === undefined) records.delete(keyText(change.key));
      else records.set(keyText(change.key), change);
      for (const listener of listeners) listener([change], revision);
      return revision;
    },
    head: () => Promise.resolve({ revision, compacted: 0 }),
    list: async ({ namespace, from }) => {
      lists += 1;
      await Promise.resolve();
      const at = from?.revision ?? revision;
      const all = snapshots.get(at) ?? sorted();
      snapshots.set(at, all);
      const wanted = all.filter(
        ({ key }) =>
          (namespace === undefined || key.namespace === namespace) &&
          (from === undefined || compareKeys({ kind: key.kind, ...placeOf(from) }, key) < 0),
      );
      const page = wanted.slice(0, pageRecords);
      const last = page.at(-1);
      store.betweenPages();
      if (wanted.length <= pageRecords || last === undefined) {
        return { revision: at, records: page };
      }
      return { revision: at, records: page, next: { revision: at, ...placeOf(last.key) } };
    },
    advancedBeyond: (_after, signal) =>
      new Promise((_resolve, reject) => {
        signal?.addEventListener("abort", () => reject(new Error("aborted")));
      }),
  };
  return store;
}

function placeOf({ namespace, name }: { readonly namespace: string; readonly name: string }): {
  readonly namespace: string;
  readonly name: string;
} {
  return { namespace, name };
}

function changeOf(write: SampleWrite, revision: number): Change {
  const { namespace, name, content = {} } = write;
  const isDeletion = write.content === undefined;
  const uid = `uid-${name}`;
  const creationTimestamp = "2026-01-01T00:00:00Z";
  const metadata = { name, namespace, uid, generation: 1, creationTimestamp };
  const body = encodeDocument({
    apiVersion: "shop.example/v1",
    kind: "Database",
    metadata,
    ...content,
  });
  return {
    type: isDeletion ? "deleted" : "updated",
    key: { kind: "databases.shop.example", namespace, name },
    uid,
    revision,
    body,
    previous: undefined,
    atMs: 0,
    terms: [],
  };
}

import assert from "node:assert/strict";
import { test } from "node:test";
import { manualClock } from "../../kernel/clock.ts";
import { encodeDocument } from "../../kernel/document.ts";
import { SetpointError } from "../../kernel/errors.ts";
import { manualTimers } from "../../kernel/manual-timers.ts";
import type { FeedListener } from "./change-feed.ts";
import type { Change, ListQuery, Page } from "../../store/port.ts";
import { followKind } from "./follow-kind.ts";

const kind = "dinosaurs.example.dev";

function change(name: string, revision: number, type: Change["type"] = "updated"): Change {
  const metadata = { name, uid: name, generation: 1, creationTimestamp: "2026-01-01T00:00:00Z" };
  const body = encodeDocument({ apiVersion: "a/v1", kind: "A", metadata, spec: { revision } });
  const key = { kind, namespace: "org-a", name };
  return { key, uid: name, revision, type, previous: 1, atMs: revision, body, terms: [] };
}

/** A store that answers from `pages`; `during` runs while the first page is read. */
function rig(pages: (query: ListQuery) => Page, during?: (feed: FeedListener) => void) {
  const seen: string[] = [];
  const timers = manualTimers(manualClock());
  const listeners = new Set<FeedListener>();
  const errors: unknown[] = [];
  const followed = followKind({
    timers,
    kind,
    feed: {
      subscribe: (given) => {
        listeners.add(given);
        return () => listeners.delete(given);
      },
    },
    store: {
      list: async (query) => {
        if (query.from === undefined) for (const listener of listeners) during?.(listener);
        return pages(query);
      },
    },
    read: ({ spec }) => JSON.stringify(spec),
    onChange: ({ name }, after, before, atMs) => {
      const shown = [before, after].map((each) => /\d+/.exec(each ?? "")?.[0] ?? "-");
      seen.push(`${name} ${shown.join("→")}${atMs === undefined ? "" : ` at ${atMs}`}`);
    },
    onError: (error) => errors.push(error),
  });
  const feed = (...changes: readonly Change[]): void => {
    for (const listener of listeners) listener(changes, 0);
  };
  return { seen, followed, feed, listeners, errors, timers };
}

test("stored resources are listed page by page, then changes follow until the end", async () => {
  const next = { revision: 5, namespace: "org-a", name: "a" };
  const { seen, followed, feed, listeners } = rig(({ from }) =>
    from === undefined
      ? { revision: 5, records: [change("a", 1)], next }
      : { revision: 5, records: [change("b", 2)] },
  );
  await followed.loaded;
  assert.ok(followed.isLoaded);
  const other = { ...change("a", 7), key: { kind: "others", namespace: "", name: "a" } };
  feed(change("a", 6), other, change("b", 8, "deleted"), change("c", 9, "deleted"));
  assert.deepEqual(seen, ["a -→1", "b -→2", "a 1→6 at 6", "b 2→- at 8"]);
  await followed[Symbol.asyncDispose]();
  assert.equal(listeners.size, 0);
});

test("changes that the list contains are not repeated, even when they arrive late", async () => {
  const { seen, followed, feed } = rig(
    () => ({ revision: 5, records: [change("a", 5)] }),
    (listener) => listener([change("a", 4), change("b", 3, "deleted"), change("a", 6)], 0),
  );
  await followed.loaded;
  feed(change("a", 5), change("a", 7));
  assert.deepEqual(seen, ["a -→5", "a 5→6 at 6", "a 6→7 at 7"]);
});

test("a list that failed begins again, without what its first pages had", async () => {
  let reads = 0;
  const next = { revision: 5, namespace: "org-a", name: "a" };
  const { seen, followed, errors, timers } = rig(({ from }) => {
    reads += 1;
    if (reads === 1) return { revision: 5, records: [change("a", 1)], next };
    if (from !== undefined) throw new SetpointError("history.gone", "compacted");
    return { revision: 9, records: [change("b", 8)] };
  });
  await timers.advance(1_000);
  await followed.loaded;
  assert.deepEqual(seen, ["a -→1", "a 1→-", "b -→8"]);
  assert.equal(errors.length, 1);
});

test("the end does not wait for a store that fails", async () => {
  const { followed, timers, listeners } = rig(() => {
    throw new SetpointError("store.unavailable", "the database cannot be reached");
  });
  await timers.settle();
  await followed[Symbol.asyncDispose]();
  assert.equal(timers.pendingCount(), 0);
  assert.equal(listeners.size, 0);
});

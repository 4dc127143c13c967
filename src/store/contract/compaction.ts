/** Compaction: what may be forgotten, what must stay, and what a reader of the past is told. */
import assert from "node:assert/strict";
import { scenario } from "./harness.ts";
import type { OpenStore } from "./harness.ts";
import {
  at,
  changesAfter,
  commit,
  del,
  draft,
  exists,
  key,
  listAll,
  put,
  rejectsWith,
  widgets,
} from "./samples.ts";
import { scriptedHistory } from "./scripted-history.ts";

const a = key("a");

export function compactionContract(open: OpenStore): void {
  kept(open);
  forgotten(open);
  edges(open);
}

function kept(open: OpenStore): void {
  scenario(open, "every state and change from the mark on is as before", async (h) => {
    const states = await scriptedHistory(h.store, 60);
    const log = await changesAfter(h.store, 0);
    for (const mark of [1, 2, 17, 40, 59, 60]) {
      assert.equal((await h.store.compact(mark)).compacted, mark);
      assert.deepEqual(await h.store.head(), { revision: 60, compacted: mark });
      for (let revision = mark; revision <= 60; revision += 1) {
        const all = await listAll(h.store, { kind: widgets, at: revision });
        assert.deepEqual(all, states[revision]?.records, `at ${revision}, mark ${mark}`);
        assert.deepEqual(await changesAfter(h.store, revision), log.slice(revision));
      }
      assert.deepEqual(await h.store.verify(), []);
    }
  });

  scenario(open, "a change after the mark still tells what it replaced", async (h) => {
    await commit(h.store, put(a, { content: { labels: { app: "x" } } }));
    await commit(h.store, put(key("b")));
    await h.store.compact(2);
    await commit(h.store, put(a, { when: at(1), content: { labels: { app: "y" } } }));
    await commit(h.store, del(a));
    const [updated, deleted] = await changesAfter(h.store, 2);
    assert.equal(updated?.previous, 1);
    assert.deepEqual(updated?.previousTerms, ["l:app=x"]);
    assert.deepEqual(deleted?.body, draft(a).body);
    await h.store.compact(3);
    const [again] = await changesAfter(h.store, 3);
    assert.deepEqual(again, deleted);
  });

  scenario(open, "compaction changes nothing that is current", async (h) => {
    const held = { names: [{ scope: "s", name: "n" }], uses: [{ counter: "c", amount: 2 }] };
    await commit(h.store, put(a, held));
    await commit(h.store, put(a, { when: exists, content: { spec: 2 } }));
    const before = await h.store.get(a);
    await h.store.compact(2);
    assert.deepEqual(await h.store.get(a), before);
    assert.deepEqual(await h.store.nameHolder({ scope: "s", name: "n" }), a);
    assert.equal((await h.store.counter("c")).value, 2);
    const same = await h.store.commit([put(a, { when: at(2), content: { spec: 2 } })]);
    assert.deepEqual(same, [{ kind: "unchanged", revision: 2 }]);
    assert.equal(await commit(h.store, put(key("b"))), 3);
  });
}

function forgotten(open: OpenStore): void {
  scenario(open, "history is gone exactly below the mark", async (h) => {
    await scriptedHistory(h.store, 20);
    await h.store.compact(10);
    for (const revision of [0, 5, 9]) {
      await rejectsWith("history.gone", h.store.list({ kind: widgets, at: revision }));
      await rejectsWith("history.gone", h.store.changes(revision));
    }
    await h.store.list({ kind: widgets, at: 10 });
    await h.store.changes(10);
  });

  scenario(open, "pages whose snapshot was compacted end with history gone", async (h) => {
    await h.store.commit(["a", "b", "c"].map((name) => put(key(name))));
    const page = await h.store.list({ kind: widgets, limit: 1 });
    assert(page.next !== undefined);
    await commit(h.store, put(key("d")));
    await h.store.compact(4);
    const next = h.store.list({ kind: widgets, limit: 1, from: page.next });
    await rejectsWith("history.gone", next);
  });

  scenario(open, "superseded changes and deletions are removed and counted", async (h) => {
    await commit(h.store, put(a));
    await commit(h.store, put(a, { when: exists, content: { spec: 2 } }));
    await commit(h.store, put(key("gone")));
    await commit(h.store, del(key("gone")));
    await commit(h.store, put(a, { when: exists, content: { spec: 3 } }));
    assert.equal((await h.store.stats()).changes, 5);
    // At 4 the second state of a is current; its first and both of "gone" are not.
    assert.deepEqual(await h.store.compact(4), { compacted: 4, removed: 3 });
    assert.equal((await h.store.stats()).changes, 2);
    assert.deepEqual(await h.store.compact(4), { compacted: 4, removed: 0 });
    assert.deepEqual(await h.store.compact(5), { compacted: 5, removed: 1 });
    assert.equal((await h.store.stats()).changes, 1);
  });

  scenario(open, "a key's history ends at the mark", async (h) => {
    await commit(h.store, put(a));
    for (const spec of [2, 3, 4]) {
      await commit(h.store, put(a, { when: exists, content: { spec } }));
    }
    await h.store.compact(2);
    const history = await h.store.history(a);
    assert.deepEqual(
      history.map(({ revision, previous }) => [revision, previous]),
      [
        [4, 3],
        [3, 2],
      ],
    );
    await h.store.compact(4);
    assert.deepEqual(await h.store.history(a), []);
  });
}

function edges(open: OpenStore): void {
  scenario(open, "the mark never goes back and never passes the head", async (h) => {
    await scriptedHistory(h.store, 10);
    assert.equal((await h.store.compact(6)).compacted, 6);
    assert.deepEqual(await h.store.compact(3), { compacted: 6, removed: 0 });
    assert.equal((await h.store.head()).compacted, 6);
    assert.equal((await h.store.compact(1_000)).compacted, 10);
    assert.deepEqual(await h.store.head(), { revision: 10, compacted: 10 });
    assert.equal(await commit(h.store, put(key("next"))), 11);
  });

  scenario(open, "an empty store can be compacted", async (h) => {
    assert.deepEqual(await h.store.compact(5), { compacted: 0, removed: 0 });
    assert.equal(await commit(h.store, put(a)), 1);
    assert.equal((await h.store.changes(0)).changes.length, 1);
  });

  scenario(open, "an aborted compaction rejects, and a later one does its work", async (h) => {
    await scriptedHistory(h.store, 30);
    const reason = new Error("stopped");
    const aborted = h.store.compact(20, AbortSignal.abort(reason));
    await assert.rejects(aborted, (error) => error === reason);
    assert.equal((await h.store.compact(20)).compacted, 20);
    assert.deepEqual(await h.store.compact(20), { compacted: 20, removed: 0 });
  });

  scenario(open, "writers and readers go on while a compaction runs", async (h) => {
    await scriptedHistory(h.store, 200);
    const compacting = h.store.compact(150);
    const writes = Array.from({ length: 50 }, (_, i) => commit(h.store, put(key(`w${i}`))));
    const revisions = await Promise.all(writes);
    assert.deepEqual(
      revisions.toSorted((x, y) => x - y),
      Array.from({ length: 50 }, (_, i) => 201 + i),
    );
    assert.equal((await compacting).compacted, 150);
    assert.equal((await changesAfter(h.store, 150)).length, 100);
  });
}

/** Reading the past: a list at any kept revision is what was recorded then. */
import assert from "node:assert/strict";
import { scenario } from "./harness.ts";
import type { OpenStore } from "./harness.ts";
import {
  commit,
  del,
  exists,
  key,
  listAll,
  listNames,
  outcomes,
  put,
  rejectsWith,
  widgets,
} from "./samples.ts";
import { parseSelector } from "../../kernel/selector.ts";
import { scriptedHistory } from "./scripted-history.ts";

export function snapshotContract(open: OpenStore): void {
  scenario(open, "a list at every revision of a long history is the state of then", async (h) => {
    const states = await scriptedHistory(h.store, 120);
    const labels = parseSelector("app=web");
    for (const [revision, state] of states.entries()) {
      const all = await listAll(h.store, { kind: widgets, at: revision });
      assert.deepEqual(all, state.records, `at ${revision}`);
      const web = await listAll(h.store, { kind: widgets, at: revision, labels, limit: 3 });
      assert.deepEqual(web, state.web, `labels at ${revision}`);
    }
    assert.equal((await h.store.head()).revision, states.length - 1);
  });

  scenario(open, "the empty store can be listed at revision 0, also later", async (h) => {
    assert.deepEqual(await h.store.list({ kind: widgets }), { revision: 0, records: [] });
    await commit(h.store, put(key("a")));
    const page = await h.store.list({ kind: widgets, at: 0 });
    assert.deepEqual(page, { revision: 0, records: [] });
  });

  scenario(open, "a revision above the head is refused as future", async (h) => {
    await commit(h.store, put(key("a")));
    await rejectsWith("revision.future", h.store.list({ kind: widgets, at: 2 }));
    const from = { revision: 2, namespace: "", name: "" };
    await rejectsWith("revision.future", h.store.list({ kind: widgets, from }));
    await rejectsWith("revision.future", h.store.changes(2));
    assert.equal((await h.store.list({ kind: widgets, at: 1 })).records.length, 1);
  });

  scenario(open, "a read never is older than an answer that was given before", async (h) => {
    for (let turn = 1; turn <= 30; turn += 1) {
      const content = { spec: turn };
      const when = turn === 1 ? { kind: "absent" as const } : exists;
      const revision = await commit(h.store, put(key("a"), { when, content }));
      const [record, page, head] = await Promise.all([
        h.store.get(key("a")),
        h.store.list({ kind: widgets }),
        h.store.head(),
      ]);
      assert.equal(record?.revision, revision);
      assert.equal(page.revision, revision);
      assert.equal(page.records[0]?.revision, revision);
      assert.equal(head.revision, revision);
    }
  });

  scenario(open, "many keys are read on one snapshot, also while groups commit", async (h) => {
    const [a, b] = [key("a"), key("b")];
    await h.store.commit([put(a), put(b)], { atomic: true });
    const writing = (async () => {
      for (let spec = 1; spec <= 30; spec += 1) {
        const parts = { when: exists, content: { spec } };
        const done = await outcomes(
          h.store.commit([put(a, parts), put(b, parts)], { atomic: true }),
        );
        assert.deepEqual(done, ["committed", "committed"]);
      }
    })();
    for (let turn = 0; turn < 30; turn += 1) {
      const [first, second] = await h.store.getMany([a, b]);
      assert.equal(second?.revision, (first?.revision ?? 0) + 1);
    }
    await writing;
  });

  scenario(open, "deleted resources are listed at the revisions when they lived", async (h) => {
    await commit(h.store, put(key("a")));
    await commit(h.store, del(key("a")));
    await commit(h.store, put(key("a"), { uid: "again" }));
    assert.deepEqual(await listNames(h.store, { at: 1 }), ["a"]);
    assert.deepEqual(await listNames(h.store, { at: 2 }), []);
    const [again] = await listAll(h.store, { kind: widgets, at: 3 });
    assert.equal(again?.uid, "again");
  });
}

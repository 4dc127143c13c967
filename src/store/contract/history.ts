/** The log: changes in order from any point, the history of one key, and waiting for the next. */
import assert from "node:assert/strict";
import { readLimits } from "../arguments.ts";
import { scenario } from "./harness.ts";
import type { OpenStore } from "./harness.ts";
import {
  at,
  changesAfter,
  changesOf,
  commit,
  del,
  draft,
  exists,
  gadgets,
  key,
  minuteMs,
  put,
  rejectsWith,
  someone,
  soon,
  widgets,
} from "./samples.ts";
import { scriptedHistory } from "./scripted-history.ts";

const a = key("a");

export function historyContract(open: OpenStore): void {
  changes(open);
  changesOfKinds(open);
  searches(open);
  deletions(open);
  history(open);
  waiting(open);
}

function changes(open: OpenStore): void {
  scenario(open, "changes resume exactly from every revision, with any limit", async (h) => {
    await scriptedHistory(h.store, 60);
    const all = await changesAfter(h.store, 0);
    assert.deepEqual(
      all.map((change) => change.revision),
      Array.from({ length: 60 }, (_, i) => i + 1),
    );
    for (let after = 0; after <= 60; after += 1) {
      assert.deepEqual(await changesAfter(h.store, after), all.slice(after));
      const page = await h.store.changes(after, 7);
      assert.deepEqual(page.changes, all.slice(after, after + 7));
      assert.equal(page.revision, 60);
      assert.equal(page.compacted, 0);
    }
  });

  scenario(open, "a change tells its type, what it replaced, when, and both terms", async (h) => {
    const content = { labels: { app: "x" } };
    await commit(h.store, put(a, { uid: "u", content }));
    await commit(h.store, put(key("b")));
    await h.advanceClock(minuteMs);
    await commit(h.store, put(a, { uid: "u", when: at(1), content: { ...content, spec: 2 } }));
    await commit(h.store, put(a, { uid: "u", when: at(3), content: { spec: 2 } }));
    const [first, , second, third] = await changesAfter(h.store, 0);
    assert(first !== undefined && second !== undefined && third !== undefined);
    const { atMs, ...created } = first;
    const terms = ["l:app=x"];
    const shared = { key: a, uid: "u", cause: someone };
    assert.deepEqual(created, {
      ...shared,
      revision: 1,
      type: "created",
      previous: undefined,
      terms,
      body: draft(a, content).body,
    });
    assert.deepEqual(second, {
      ...shared,
      revision: 3,
      type: "updated",
      previous: 1,
      terms,
      atMs: second.atMs,
      body: draft(a, { ...content, spec: 2 }).body,
    });
    assert(second.atMs - atMs >= minuteMs, "the time is the database's");
    assert.deepEqual(third, {
      ...shared,
      revision: 4,
      type: "updated",
      previous: 3,
      terms: [],
      previousTerms: terms,
      atMs: third.atMs,
      body: second.body,
    });
  });
}

function changesOfKinds(open: OpenStore): void {
  scenario(open, "the changes of some kinds are those of the log, and no others", async (h) => {
    const others = ["p.test", "q.test"];
    for (let turn = 0; turn < 40; turn += 1) {
      const of = key(`n${turn % 7}`, "team", [widgets, ...others][turn % 3]);
      const [was] = await h.store.getMany([of]);
      if (was === undefined) await commit(h.store, put(of));
      else if (turn % 5 === 0) await commit(h.store, del(of));
      else await commit(h.store, put(of, { when: exists, content: { spec: turn } }));
    }
    await h.reopen();
    for (const kinds of [[widgets], others, [widgets, widgets], ["none"], [...others, "none"]]) {
      for (const after of [0, 1, 17, 40]) {
        const log = await changesAfter(h.store, after);
        const wanted = log.filter((change) => kinds.includes(change.key.kind));
        for (const limit of [1, 3, 1_000]) {
          assert.deepEqual(await changesOf(h.store, kinds, { after, limit }), wanted);
        }
      }
    }
    const { changes: none, ...page } = await h.store.changes(3, 5, { kinds: ["none"] });
    assert.deepEqual([none, page], [[], { revision: 40, compacted: 0, through: 40 }]);
    await h.store.compact(20);
    await rejectsWith("history.gone", h.store.changes(19, 5, { kinds: ["none"] }));
    await rejectsWith("revision.future", h.store.changes(41, 5, { kinds: ["none"] }));
  });
}

function searches(open: OpenStore): void {
  scenario(open, "a kind that is rare in the log is found however far it is", async (h) => {
    const turns = readLimits.searchedChanges / 50 + 2;
    const keys = Array.from({ length: 50 }, (_, i) => key(`n${i}`));
    await h.store.commit(keys.map((of) => put(of)));
    for (let spec = 2; spec <= turns; spec += 1) {
      await h.store.commit(keys.map((of) => put(of, { when: exists, content: { spec } })));
    }
    await commit(h.store, put(key("rare", "team", gadgets)));
    await h.reopen();
    const found = await changesOf(h.store, [gadgets], { limit: 10 });
    assert.deepEqual(
      found.map((change) => change.revision),
      [turns * 50 + 1],
    );
  });
}

function deletions(open: OpenStore): void {
  scenario(open, "a deletion shows the last document, bytes and terms", async (h) => {
    const content = { spec: "last", labels: { app: "x" } };
    await commit(h.store, put(a, { uid: "u", content }));
    await commit(h.store, del(a));
    const deleted = (await changesAfter(h.store, 1))[0];
    assert.deepEqual(deleted, {
      revision: 2,
      type: "deleted",
      key: a,
      uid: "u",
      previous: 1,
      atMs: deleted?.atMs,
      terms: ["l:app=x"],
      body: draft(a, content).body,
      cause: someone,
    });
  });

  scenario(open, "a deletion shows the last state it was given, if it was given one", async (h) => {
    const last = draft(a, { spec: "final", labels: { app: "y" } });
    await commit(h.store, put(a, { content: { labels: { app: "x" } } }));
    await commit(h.store, del(a, { last }));
    const [deleted] = await h.store.history(a);
    assert.deepEqual(deleted?.body, last.body);
    assert.deepEqual(deleted?.terms, ["l:app=y"]);
    assert.deepEqual(deleted?.previousTerms, ["l:app=x"]);
    assert.equal(await h.store.get(a), undefined);
  });

  scenario(open, "a deletion is told to followers as it is read from the log", async (h) => {
    const last = draft(a, { spec: "final", labels: { app: "y" }, secrets: { word: "x" } });
    const { uid } = put(a);
    await commit(h.store, put(a, { content: { labels: { app: "x" } } }));
    await commit(h.store, del(a, { when: { kind: "revision", revision: 1, uid }, last }));
    const told = await changesAfter(h.store, 1);
    assert.deepEqual(told, await h.store.history(a, { limit: 1 }));
    assert.deepEqual([told[0]?.type, told[0]?.uid], ["deleted", uid]);
  });
}

function history(open: OpenStore): void {
  scenario(open, "a key's history is newest first and crosses its lives", async (h) => {
    await commit(h.store, put(a, { uid: "u1" }));
    await commit(h.store, put(key("b")));
    await commit(h.store, put(a, { uid: "u1", when: at(1), content: { spec: 2 } }));
    await commit(h.store, del(a));
    await commit(h.store, put(a, { uid: "u2" }));
    const all = await h.store.history(a);
    assert.deepEqual(
      all.map(({ revision, type, uid, previous }) => [revision, type, uid, previous]),
      [
        [5, "created", "u2", undefined],
        [4, "deleted", "u1", 3],
        [3, "updated", "u1", 1],
        [1, "created", "u1", undefined],
      ],
    );
    const log = await changesAfter(h.store, 0);
    assert.deepEqual(all, log.filter((change) => change.key.name === "a").toReversed());
    assert.deepEqual(await h.store.history(key("none")), []);
  });

  scenario(open, "a history is read in parts by limit and before", async (h) => {
    await commit(h.store, put(a));
    for (let spec = 2; spec <= 9; spec += 1) {
      await commit(h.store, put(a, { when: exists, content: { spec } }));
    }
    const revisions = async (options: { limit?: number; before?: number }) =>
      (await h.store.history(a, options)).map((change) => change.revision);
    assert.deepEqual(await revisions({ limit: 3 }), [9, 8, 7]);
    assert.deepEqual(await revisions({ limit: 3, before: 7 }), [6, 5, 4]);
    assert.deepEqual(await revisions({ before: 3 }), [2, 1]);
    assert.deepEqual(await revisions({ before: 1 }), []);
  });

  scenario(open, "a history begins below any revision, in each life of the key", async (h) => {
    for (const uid of ["u1", "u2", "u3"]) {
      await commit(h.store, put(a, { uid }));
      await commit(h.store, put(key(`other-${uid}`)));
      await commit(h.store, put(a, { uid, when: exists, content: { spec: 2 } }));
      if (uid !== "u3") await commit(h.store, del(a));
      await commit(h.store, put(key(`more-${uid}`)));
    }
    const all = await h.store.history(a);
    assert.equal(all.length, 8);
    const { revision: head } = await h.store.head();
    for (let before = 1; before <= head + 2; before += 1) {
      const expected = all.filter(({ revision }) => revision < before);
      assert.deepEqual(await h.store.history(a, { before }), expected, `before ${before}`);
      assert.deepEqual(await h.store.history(a, { before, limit: 1 }), expected.slice(0, 1));
    }
  });
}

function waiting(open: OpenStore): void {
  scenario(open, "who waits for a revision is woken with the head by the commit", async (h) => {
    const waits = [0, 0, 1].map((after) => h.store.advancedBeyond(after, soon()));
    await commit(h.store, put(a));
    assert(((await waits[0]) ?? 0) >= 1);
    assert(((await waits[1]) ?? 0) >= 1);
    await commit(h.store, put(key("b")));
    assert(((await waits[2]) ?? 0) >= 2);
    assert((await h.store.advancedBeyond(1, soon())) >= 2);
    assert.equal((await h.store.changes(1)).changes.length, 1);
  });

  scenario(open, "a refused or empty write wakes nobody who waits for a revision", async (h) => {
    await commit(h.store, put(a));
    const stop = new AbortController();
    const wait = h.store.advancedBeyond(1, stop.signal);
    await commit(h.store, put(a, { when: exists }));
    await h.store.commit([put(a)]);
    stop.abort(new Error("enough"));
    await assert.rejects(wait, { message: "enough" });
  });

  scenario(open, "an aborted wait rejects with the signal's reason", async (h) => {
    const stop = new AbortController();
    const waits = [h.store.advancedBeyond(0, stop.signal), h.store.workArrived(1e9, stop.signal)];
    const reason = new Error("stopped");
    stop.abort(reason);
    for (const wait of waits) await assert.rejects(wait, (error) => error === reason);
    const late = h.store.advancedBeyond(0, AbortSignal.abort(reason));
    await assert.rejects(late, (error) => error === reason);
  });

  scenario(
    open,
    "a cursor below the compaction mark is told that its history is gone",
    async (h) => {
      await scriptedHistory(h.store, 10);
      await h.store.compact(4);
      for (const after of [0, 3]) await rejectsWith("history.gone", h.store.changes(after));
      assert.equal((await changesAfter(h.store, 4)).length, 6);
    },
  );
}

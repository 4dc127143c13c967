/** Erasure: earlier states lose their values before compaction; current states never do. */
import assert from "node:assert/strict";
import { newSealKey } from "../key-ring.ts";
import type { EraseRequest } from "../erasure.ts";
import type { Change, Store } from "../port.ts";
import { another, bytesOnDisk, scenario } from "./harness.ts";
import type { OpenStore, Traits } from "./harness.ts";
import {
  allRows,
  changesAfter,
  commit,
  del,
  draft,
  exists,
  key,
  listAll,
  minuteMs,
  put,
  rejectsWith,
  rowsOf,
  widgets,
} from "./samples.ts";
import type { Content } from "./samples.ts";

const a = key("a");
const b = key("b");
const word = "correct-horse-battery-staple";
const content: Content = { spec: { size: 1 }, secrets: { password: word } };
const deleted = { kind: "deleted", minAgeMs: 0 } as const;

export function erasureContract(open: OpenStore, traits: Traits): void {
  if (!traits.sealed) return;
  ofDeleted(open);
  ofOneKey(open);
  lasting(open);
  if (traits.several) ofOthers(open);
}

const isErased = ({ unopened }: Pick<Change, "unopened">): boolean =>
  unopened?.code === "secret.erased";

async function erasedRevisions(store: Store): Promise<readonly number[]> {
  return (await changesAfter(store, 0)).filter(isErased).map(({ revision }) => revision);
}

function ofDeleted(open: OpenStore): void {
  scenario(
    open,
    "secrets of deleted resources are erased, in every way to read them",
    async (h) => {
      await commit(h.store, put(a, { uid: "u", content }));
      await commit(h.store, put(b, { content }));
      await commit(h.store, del(a));
      assert.equal(await h.store.erase(deleted), 1);
      assert.deepEqual(await erasedRevisions(h.store), [1, 3], "the deletion shows the last state");
      const [atTwo] = await listAll(h.store, { kind: widgets, at: 2 });
      assert(atTwo !== undefined && isErased(atTwo));
      for (const change of [atTwo, ...(await h.store.history(a))]) {
        assert(!change.body.includes(word));
        assert(change.body.includes('"size":1'), "only secrets are erased");
      }
      assert.deepEqual((await h.store.get(b))?.body, draft(b, content).body);
      assert.equal(await h.store.erase(deleted), 0, "a second call finds nothing");
    },
  );

  scenario(
    open,
    "secrets are erased once their resource was deleted long enough ago",
    async (h) => {
      await commit(h.store, put(a, { content }));
      await commit(h.store, del(a));
      const request = { kind: "deleted", minAgeMs: 10 * minuteMs } as const;
      assert.equal(await h.store.erase(request), 0);
      await h.advanceClock(9 * minuteMs);
      assert.equal(await h.store.erase(request), 0);
      await h.advanceClock(2 * minuteMs);
      assert.equal(await h.store.erase(request), 1);
    },
  );

  scenario(open, "a resource that was created again keeps its values", async (h) => {
    const last = draft(a, { secrets: { password: word, final: true } });
    await commit(h.store, put(a, { uid: "first", content }));
    await commit(h.store, put(a, { uid: "first", when: exists, content: { ...content, spec: 2 } }));
    await commit(h.store, del(a, { when: { kind: "exists", uid: "first" }, last }));
    await commit(h.store, put(a, { uid: "second", content }));
    await commit(
      h.store,
      put(a, { uid: "second", when: exists, content: { ...content, spec: 3 } }),
    );
    assert.equal(await h.store.erase(deleted), 3);
    assert.deepEqual(await erasedRevisions(h.store), [1, 2, 3]);
    const [fourth] = await listAll(h.store, { kind: widgets, at: 4 });
    assert.deepEqual(fourth?.body, draft(a, content).body);
  });

  scenario(open, "erasure can be limited to a namespace", async (h) => {
    const other = key("a", "other");
    for (const each of [a, other]) {
      await commit(h.store, put(each, { content }));
      await commit(h.store, del(each));
    }
    assert.equal(await h.store.erase({ ...deleted, namespace: "other" }), 1);
    assert.deepEqual(await erasedRevisions(h.store), [3, 4]);
  });

  scenario(open, "erasure visits more changes than one page has", async (h) => {
    const keys = Array.from({ length: 600 }, (_, at) => key(`many-${at}`));
    await h.store.commit(keys.map((each) => put(each, { content })));
    await h.store.commit(keys.slice(300).map((each) => del(each)));
    assert.equal(await h.store.erase(deleted), 300);
    assert.equal((await erasedRevisions(h.store)).length, 600, "each with its deletion");
  });
}

function ofOneKey(open: OpenStore): void {
  scenario(
    open,
    "earlier states of a key lose their documents, the current one stays",
    async (h) => {
      const plain = { spec: { password: word } };
      await commit(h.store, put(a, { uid: "first", content: plain }));
      await commit(h.store, del(a));
      await commit(h.store, put(a, { uid: "second", content: plain }));
      await commit(h.store, put(b, { content: plain }));
      await commit(h.store, put(a, { uid: "second", when: exists, content }));
      assert.equal(await h.store.erase({ kind: "earlier", key: a }), 2);
      assert.deepEqual(await erasedRevisions(h.store), [1, 2, 3]);
      for (const change of (await h.store.history(a)).slice(1)) {
        const { metadata, ...rest } = JSON.parse(change.body.toString()) as Record<string, unknown>;
        const kept = ["creationTimestamp", "name", "namespace", "uid"];
        assert.deepEqual(Object.keys(metadata as object).toSorted(), kept);
        assert.deepEqual(Object.keys(rest).toSorted(), ["apiVersion", "kind"]);
      }
      assert.deepEqual((await h.store.get(a))?.body, draft(a, content).body);
      assert.deepEqual((await h.store.get(b))?.body, draft(b, plain).body);
      assert.equal(await h.store.erase({ kind: "earlier", key: a }), 0);
      assert.equal(await h.store.erase({ kind: "earlier", key: key("none") }), 0);
    },
  );

  scenario(open, "the state at the mark of compaction is erased with the others", async (h) => {
    await commit(h.store, put(a, { content: { spec: { password: word } } }));
    await commit(h.store, put(b));
    await h.store.compact(2);
    await commit(h.store, put(a, { when: exists, content: { spec: 2 } }));
    assert.equal(await h.store.erase({ kind: "earlier", key: a }), 1);
    const [listed] = await listAll(h.store, { kind: widgets, at: 2 });
    assert(listed !== undefined && isErased(listed) && !listed.body.includes(word));
  });

  scenario(open, "a request that is not valid is refused", async ({ store }) => {
    for (const minAgeMs of [-1, 0.5, Number.NaN]) {
      await rejectsWith("request.invalid", store.erase({ kind: "deleted", minAgeMs }));
    }
    const noKey = { kind: "earlier", key: { ...a, name: 7 } } as unknown as EraseRequest;
    await rejectsWith("request.invalid", store.erase(noKey));
    await assert.rejects(store.erase(deleted, AbortSignal.abort(new Error("stop"))), /stop/);
  });
}

function lasting(open: OpenStore): void {
  scenario(open, "erased values are not on disk, in a dump or under an old key", async (h) => {
    const [first, second] = [newSealKey(), newSealKey()];
    await h.reopen({ keys: [first] });
    await commit(h.store, put(a, { content: { spec: { note: "plain-secret-text" } } }));
    await commit(h.store, put(a, { when: exists, content }));
    await commit(h.store, del(a));
    await h.store.erase({ kind: "earlier", key: a });
    assert.deepEqual(await h.store.keyUses(), []);
    await h.store.checkKeys();
    await h.reopen({ keys: [second, first] });
    assert.equal(await h.store.reseal(), 0);
    assert.deepEqual(await erasedRevisions(h.store), [1, 2, 3]);
    const rows = await allRows(h.store);
    assert(!JSON.stringify(rows).includes("plain-secret-text"));
    await using fresh = await open();
    await fresh.store.load(rowsOf(rows));
    assert.deepEqual(await erasedRevisions(fresh.store), [1, 2, 3]);
    assert(!(await bytesOnDisk(fresh)).includes("plain-secret-text"));
  });
}

function ofOthers(open: OpenStore): void {
  scenario(open, "other processes drop what they have in memory", async (h) => {
    const other = await another(h);
    await commit(h.store, put(a, { content }));
    const through = await commit(h.store, del(a));
    await other.advancedBeyond(through - 1);
    assert.equal((await changesAfter(other, 0)).filter(isErased).length, 0);
    await h.store.erase(deleted);
    await other.advancedBeyond(through);
    assert.deepEqual(await erasedRevisions(other), [1, 2]);
  });
}

/** Dump and load: the whole store on one snapshot, into an empty store, all or nothing. */
import assert from "node:assert/strict";
import { manualClock } from "../../kernel/clock.ts";
import type { DumpRow, Store } from "../port.ts";
import { scenario } from "./harness.ts";
import type { OpenStore } from "./harness.ts";
import { ModelStore } from "./model.ts";
import {
  allRows,
  changesAfter,
  claimOne,
  claimSome,
  commit,
  del,
  exists,
  key,
  listAll,
  minuteMs,
  put,
  refusal,
  rejectsWith,
  release,
  rowsOf,
  schedule,
  wake,
  widgets,
} from "./samples.ts";
import { scriptedHistory } from "./scripted-history.ts";

export function backupContract(open: OpenStore): void {
  contents(open);
  restoring(open);
  refusing(open);
}

const [held, quota, later] = [key("held"), key("quota"), key("later")];

/** A store with something of everything, compacted in the middle of its history. */
async function fill(store: Store): Promise<void> {
  await scriptedHistory(store, 40);
  await store.compact(20);
  const last = put(held, { content: { spec: "last" } }).draft;
  await commit(store, put(key("x")));
  await commit(store, del(key("x"), { last }));
  await commit(store, put(key("y")));
  await commit(store, del(key("y")));
  await commit(store, put(quota, { bounds: [{ counter: "c", max: 3 }] }));
  const parts = { names: [{ scope: "s", name: "n" }], uses: [{ counter: "c", amount: 2 }] };
  await commit(store, put(held, { ...parts, due: wake() }));
  const claim = await claimOne(store);
  await commit(store, schedule(held, release(5 * minuteMs), { claim }));
  await commit(store, put(later, { due: wake(30 * minuteMs) }));
}

async function assertSame(store: Store, other: Store): Promise<void> {
  const head = await store.head();
  assert.deepEqual(await other.head(), head);
  const log = await changesAfter(store, head.compacted);
  assert.deepEqual(await changesAfter(other, head.compacted), log);
  for (let revision = head.compacted; revision <= head.revision; revision += 1) {
    const query = { kind: widgets, at: revision };
    assert.deepEqual(await listAll(other, query), await listAll(store, query));
  }
  assert.deepEqual(await other.history(held), await store.history(held));
  assert.deepEqual(await other.counter("c"), await store.counter("c"));
  const name = { scope: "s", name: "n" };
  assert.deepEqual(await other.nameHolder(name), await store.nameHolder(name));
  assert.deepEqual(await other.verify(), []);
}

function contents(open: OpenStore): void {
  scenario(open, "a dump has its rows in order, and meta tells head, mark and token", async (h) => {
    await fill(h.store);
    const rows = await allRows(h.store);
    const order = ["meta", "change", "name", "use", "bound", "due"];
    const kinds = rows.map((row) => order.indexOf(row.row));
    assert.deepEqual(
      kinds,
      kinds.toSorted((x, y) => x - y),
    );
    const [meta] = rows;
    assert(meta?.row === "meta");
    assert.deepEqual([meta.head, meta.compacted], [47, 20]);
    assert(meta.lastToken >= 1);
    const changes = rows.flatMap((row) => (row.row === "change" ? [row.revision] : []));
    assert.deepEqual(
      changes,
      changes.toSorted((x, y) => x - y),
    );
    assert.equal(changes.length, (await h.store.stats()).changes);
    const blank = rows.filter((row) => row.row === "change" && row.document === null);
    assert(blank.every((row) => row.row === "change" && row.type === "deleted"));
  });

  scenario(open, "a dump is one snapshot, whatever is written while it is read", async (h) => {
    await fill(h.store);
    const expected = (await allRows(h.store)).filter((row) => row.row !== "due");
    const rows: DumpRow[] = [];
    for await (const row of h.store.dump()) {
      if (rows.length < 5) {
        await commit(h.store, put(key(`during${rows.length}`), { due: wake() }));
        await h.store.commit([put(held, { when: exists, content: { spec: rows.length } })]);
      }
      if (row.row !== "due") rows.push(row);
    }
    assert.deepEqual(rows, expected);
    assert.equal((await h.store.head()).revision, 57);
  });
}

function restoring(open: OpenStore): void {
  scenario(open, "a dump loaded into an empty store gives the same store", async (h) => {
    await fill(h.store);
    await using fresh = await open();
    await fresh.store.load(rowsOf(await allRows(h.store)));
    await assertSame(h.store, fresh.store);
    await fresh.reopen();
    await assertSame(h.store, fresh.store);
  });

  scenario(open, "dumps are exchanged with the model, both ways", async (h) => {
    await fill(h.store);
    const model = new ModelStore(manualClock());
    await model.load(rowsOf(await allRows(h.store)));
    await assertSame(h.store, model);
    await using fresh = await open();
    await fresh.store.load(model.dump());
    await assertSame(model, fresh.store);
  });

  scenario(open, "what was restored goes on: revisions, tokens, due times, bounds", async (h) => {
    await fill(h.store);
    const rows = await allRows(h.store);
    const [meta] = rows;
    assert(meta?.row === "meta");
    await using fresh = await open();
    const { store } = fresh;
    await store.load(rowsOf(rows));
    const over = put(key("over"), { uses: [{ counter: "c", amount: 2 }] });
    assert.equal(await refusal(store, over), "counter.exceeded");
    assert.deepEqual(await claimSome(store), []);
    await fresh.advanceClock(5 * minuteMs);
    const claim = await claimOne(store, { leaseMs: 60 * minuteMs });
    assert.deepEqual(claim.key, held);
    assert.equal(claim.attempts, 2);
    assert(claim.token > meta.lastToken);
    await fresh.advanceClock(25 * minuteMs);
    assert.deepEqual((await claimOne(store)).key, later);
    assert.equal(await commit(store, put(key("next"))), 48);
  });

  scenario(open, "what was claimed at the dump is work again after the load", async (h) => {
    await commit(h.store, put(held, { due: wake() }));
    const old = await claimOne(h.store);
    await using fresh = await open();
    await fresh.store.load(rowsOf(await allRows(h.store)));
    const fenced = put(held, { when: exists, claim: old });
    assert.equal(await refusal(fresh.store, fenced), "claim.lost");
    await fresh.advanceClock(minuteMs);
    const claim = await claimOne(fresh.store);
    assert(claim.token > old.token);
    assert.equal(claim.attempts, 2);
  });

  scenario(open, "an empty store can be dumped and loaded", async (h) => {
    const rows = await allRows(h.store);
    assert.deepEqual(rows, [
      { row: "meta", head: 0, compacted: 0, lastToken: 0, epoch: 1, held: 0 },
    ]);
    await using fresh = await open();
    await fresh.store.load(rowsOf(rows));
    assert.equal(await commit(fresh.store, put(held)), 1);
  });
}

function refusing(open: OpenStore): void {
  scenario(open, "a store that has something refuses a load and keeps what it has", async (h) => {
    const rows = await allRows(h.store);
    await commit(h.store, put(held));
    await rejectsWith("store.not_empty", h.store.load(rowsOf(rows)));
    await commit(h.store, del(held));
    await rejectsWith("store.not_empty", h.store.load(rowsOf(rows)));
    assert.equal((await h.store.head()).revision, 2);
  });

  scenario(open, "a load that fails on the way leaves the store empty and usable", async (h) => {
    await fill(h.store);
    const rows = await allRows(h.store);
    await using fresh = await open();
    const broken = new Error("the disk is gone");
    async function* failing(): AsyncIterable<DumpRow> {
      yield* rows.slice(0, -1);
      throw broken;
    }
    await assert.rejects(fresh.store.load(failing()));
    assert.deepEqual(await fresh.store.head(), { revision: 0, compacted: 0 });
    assert.deepEqual(await listAll(fresh.store, { kind: widgets }), []);
    await fresh.store.load(rowsOf(rows));
    await assertSame(h.store, fresh.store);
  });

  scenario(open, "a dump with a change missing, or without its meta, is refused", async (h) => {
    await fill(h.store);
    const rows = await allRows(h.store);
    const cut = rows.findIndex((row) => row.row === "change" && row.revision === 30);
    const end = rows.findLastIndex((row) => row.row === "change");
    for (const bad of [rows.toSpliced(cut, 1), rows.slice(0, end), rows.slice(1), []]) {
      await using fresh = await open();
      await rejectsWith("backup.invalid", fresh.store.load(rowsOf(bad)));
      assert.equal((await fresh.store.head()).revision, 0);
      assert.equal(await commit(fresh.store, put(held)), 1);
      assert.deepEqual(await fresh.store.verify(), []);
    }
  });
}

/**
 * A process that commits all the time does not listen for notifications: the answers to its own
 * batches tell it of others' commits (listener.ts). It hears of everything all the same.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { systemTimers } from "../../src/kernel/timers.ts";
import type { Timers } from "../../src/kernel/timers.ts";
import {
  answer,
  claimSome,
  commit,
  key,
  put,
  release,
  schedule,
  soon,
  wake,
} from "../../src/store/contract/samples.ts";
import type { Store } from "../../src/store/port.ts";
import { startPostgres } from "../peers/postgres.ts";
import type { Postgres } from "../peers/postgres.ts";
import { endConnections, load, openForTest, until } from "./postgres-for-test.ts";
import type { PostgresHarness } from "./postgres-for-test.ts";

let server: Postgres;

before(async () => {
  server = await startPostgres();
});
after(async () => {
  await server[Symbol.asyncDispose]();
});

async function deafConnections(h: PostgresHarness): Promise<number> {
  const rows = await h.sql("SELECT FROM pg_stat_activity WHERE query = 'UNLISTEN *'");
  return rows.length;
}

/** Meanwhile the store of the harness commits all the time and does not listen any more. */
async function whileBusy(h: PostgresHarness, task: () => Promise<void>): Promise<void> {
  const work = load(h.store, "own", 2);
  try {
    await until(async () => (await deafConnections(h)) > 0);
    await task();
  } finally {
    await work.stop();
  }
}

/** Reads along until the change of this key comes by. */
async function seesChange(store: Store, from: number, name: string): Promise<void> {
  const limit = soon();
  for (let seen = from; ;) {
    const page = await store.changes(seen);
    if (page.changes.some((change) => change.key.name === name)) return;
    seen = page.changes.at(-1)?.revision ?? seen;
    await store.advancedBeyond(seen, limit);
  }
}

test("a busy process does not listen, and sees what others commit in its place", async () => {
  await using h = await openForTest(server);
  const other = await h.openAnother();
  await whileBusy(h, async () => {
    for (const name of ["a", "b", "c"]) {
      const { revision } = await h.store.head();
      await Promise.all([
        seesChange(h.store, revision, name),
        seesChange(other, revision, name),
        commit(other, put(key(name))),
      ]);
    }
  });
});

/** So slow where somebody looks often that what happens once a second does not happen here. */
const slowTimers: Timers = {
  ...systemTimers,
  sleep: async (ms, signal) => await systemTimers.sleep(ms < 10 ? 800 : ms, signal),
};

test("a busy process is woken by the work that others commit", async () => {
  await using h = await openForTest(server, { timers: slowTimers });
  const other = await h.openAnother();
  await whileBusy(h, async () => {
    const woken = h.store.workArrived(h.store.workTick(), soon());
    await commit(other, put(key("a"), { due: wake() }));
    await woken;
    const [claim] = await claimSome(h.store);
    assert.equal(claim?.key.name, "a");
  });
});

test("a busy process is woken by a release, which no answer tells of", async () => {
  await using h = await openForTest(server);
  const other = await h.openAnother();
  await commit(other, put(key("a"), { due: wake() }));
  const [claim] = await claimSome(other);
  assert(claim !== undefined);
  await whileBusy(h, async () => {
    const woken = h.store.workArrived(h.store.workTick(), soon());
    await answer(other, schedule(key("a"), release(0), { claim }));
    await woken;
    const [again] = await claimSome(h.store);
    assert.equal(again?.key.name, "a");
  });
});

test("a process that rests listens again, and is told at once", async () => {
  await using h = await openForTest(server);
  const other = await h.openAnother();
  await whileBusy(h, async () => undefined);
  await until(async () => (await deafConnections(h)) === 0);
  const { revision } = await h.store.head();
  const heard = h.store.advancedBeyond(revision, soon());
  const woken = h.store.workArrived(h.store.workTick(), soon());
  assert.equal(await commit(other, put(key("a"), { due: wake() })), revision + 1);
  assert.equal(await heard, revision + 1);
  await woken;
});

test("a busy process that loses its connections hears on", async () => {
  await using h = await openForTest(server, { commitPatienceMs: 60_000, readPatienceMs: 60_000 });
  const other = await h.openAnother();
  await whileBusy(h, async () => {
    await endConnections(h);
    await until(async () => (await deafConnections(h)) > 0);
    const { revision } = await h.store.head();
    await Promise.all([seesChange(h.store, revision, "a"), commit(other, put(key("a")))]);
  });
});

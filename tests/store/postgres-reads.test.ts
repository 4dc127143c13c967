/** Reads on PostgreSQL from memory: never older than what any process was answered. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { commit, del, exists, key, put } from "../../src/store/contract/samples.ts";
import type { Store } from "../../src/store/port.ts";
import { startPostgres } from "../peers/postgres.ts";
import type { Postgres } from "../peers/postgres.ts";
import { openForTest } from "./postgres-for-test.ts";

let server: Postgres;

before(async () => {
  server = await startPostgres();
});
after(async () => {
  await server[Symbol.asyncDispose]();
});

const keys = Array.from({ length: 40 }, (_, index) => key(`n${index}`));

/** Keeps the log of a store in memory, as its watchers do. */
async function follow(store: Store, signal: AbortSignal): Promise<void> {
  let { revision } = await store.head();
  while (!signal.aborted) {
    await store.advancedBeyond(revision, signal);
    revision = (await store.changes(revision)).through;
  }
}

async function assertSameReads(reader: Store, writer: Store): Promise<void> {
  const stored = await writer.getMany(keys);
  const alone = await reader.get(keys[0] ?? key("none"));
  assert.deepEqual(alone, stored[0]);
  const together = await Promise.all(keys.map(async (of) => await reader.get(of)));
  assert.deepEqual(together, stored);
}

test("what another process changes, deletes or makes again is read at once", async () => {
  await using h = await openForTest(server);
  const other = await h.openAnother();
  const stop = new AbortController();
  const following = follow(h.store, stop.signal).catch((error: unknown) => error);
  await h.store.commit(keys.map((of) => put(of)));
  for (let turn = 0; turn < 36; turn += 1) {
    const [changed, gone] = [keys[turn % 3], keys[turn + 3]];
    assert(changed !== undefined && gone !== undefined);
    await commit(other, put(changed, { when: exists, content: { spec: turn } }));
    await assertSameReads(h.store, other);
    await commit(other, del(gone));
    if (turn % 4 === 0) await other.compact((await other.head()).revision);
    await assertSameReads(h.store, other);
    if (turn % 2 === 0) await commit(other, put(gone, { content: { spec: turn } }));
    await assertSameReads(h.store, other);
  }
  stop.abort(new Error("enough"));
  await following;
});

test("more changes than are told at once are no hindrance", async () => {
  await using h = await openForTest(server);
  const other = await h.openAnother();
  await h.store.commit(keys.map((of) => put(of)));
  const many = Array.from({ length: 700 }, (_, index) => put(key(`m${index}`)));
  await other.commit([
    ...many,
    ...keys.map((of) => put(of, { when: exists, content: { spec: 2 } })),
  ]);
  await assertSameReads(h.store, other);
});

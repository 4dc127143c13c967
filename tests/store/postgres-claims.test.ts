/** Claims on PostgreSQL: nobody starves, however many namespaces have work only later. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { claimSome, commit, key, minuteMs, put, wake } from "../../src/store/contract/samples.ts";
import { startPostgres } from "../peers/postgres.ts";
import type { Postgres } from "../peers/postgres.ts";
import { openForTest } from "./postgres-for-test.ts";
import type { PostgresHarness } from "./postgres-for-test.ts";

let server: Postgres;

before(async () => {
  server = await startPostgres();
});
after(async () => {
  await server[Symbol.asyncDispose]();
});

async function fillNamespaces({ store }: PostgresHarness, count: number): Promise<void> {
  const due = wake(60 * minuteMs);
  const name = (index: number) => `n${String(index).padStart(5, "0")}`;
  await store.commit(Array.from({ length: count }, (_, i) => put(key("x", name(i)), { due })));
}

test("work is claimed although 1,500 namespaces before it have work only later", async () => {
  await using h = await openForTest(server);
  await fillNamespaces(h, 1_500);
  const due = wake();
  await h.store.commit(Array.from({ length: 50 }, (_, i) => put(key(`d${i}`, "zzz"), { due })));
  for (let turn = 0; turn < 5; turn += 1) {
    assert.equal((await claimSome(h.store, { limit: 10 })).length, 10, `turn ${turn}`);
  }
  assert.equal((await claimSome(h.store, { limit: 10 })).length, 0);
});

test("a namespace beyond the walk gets its turn although another has waited longer", async () => {
  await using h = await openForTest(server);
  await fillNamespaces(h, 1_500);
  const due = wake();
  await h.store.commit(Array.from({ length: 100 }, (_, i) => put(key(`d${i}`, "a"), { due })));
  await commit(h.store, put(key("small", "zzz"), { due }));
  const claimed: string[] = [];
  for (let turn = 0; turn < 3; turn += 1) {
    const claims = await claimSome(h.store, { limit: 10 });
    for (const claim of claims) claimed.push(claim.key.namespace);
  }
  assert(claimed.includes("zzz"));
});

test("a live claim is renewed although a stale one of the same key is named with it", async () => {
  await using h = await openForTest(server);
  await commit(h.store, put(key("a"), { due: wake() }));
  const [live] = await claimSome(h.store);
  assert(live !== undefined);
  const stale = { key: live.key, token: live.token + 1 };
  for (const claims of [
    [live, stale],
    [stale, live],
  ]) {
    const { renewed, lost } = await h.store.renew(claims, minuteMs);
    assert.deepEqual(
      renewed.map(({ token }) => token),
      [live.token],
    );
    assert.deepEqual(lost, [stale]);
  }
});

/**
 * Claims on PostgreSQL: nobody starves, however many namespaces have work only later, and documents
 * come along.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import {
  claimSome,
  commit,
  draft,
  exists,
  key,
  minuteMs,
  outcomes,
  put,
  refusal,
  release,
  schedule,
  wake,
  widgets,
} from "../../src/store/contract/samples.ts";
import { newSealKey } from "../../src/store/key-ring.ts";
import type { Claim, Store } from "../../src/store/port.ts";
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

test("a document comes along with its claim, from memory or from the database", async () => {
  await using h = await openForTest(server);
  const [a, b] = [key("a"), key("b")];
  await commit(h.store, put(a, { content: { spec: 1 }, due: wake() }));
  await h.reopen();
  await commit(h.store, put(b, { content: { spec: 2 }, due: wake() }));
  const bodies = new Map((await claimSome(h.store)).map(({ key: of, body }) => [of.name, body]));
  assert.deepEqual(bodies.get("a"), draft(a, { spec: 1 }).body);
  assert.deepEqual(bodies.get("b"), draft(b, { spec: 2 }).body);
});

test("what cannot be opened comes without its document, its neighbours with theirs", async () => {
  await using h = await openForTest(server);
  const [open, sealed] = [key("open"), key("sealed")];
  const content = { secrets: { password: "word" } };
  await h.store.commit([put(open, { due: wake() }), put(sealed, { content, due: wake() })]);
  await h.reopen({ keys: [newSealKey()] });
  const bodies = new Map((await claimSome(h.store)).map(({ key: of, body }) => [of.name, body]));
  assert.deepEqual([...bodies.keys()].toSorted(), ["open", "sealed"]);
  assert.deepEqual(bodies.get("open"), draft(open).body);
  assert.equal(bodies.get("sealed"), undefined);
});

test("a claim that uses up a wake shows what the wake was about", async () => {
  await using h = await openForTest(server);
  const worker = await h.openAnother();
  const a = key("a");
  const bodyOf = new Map<number, Buffer>();
  let newest = await commit(h.store, put(a, { content: { spec: 0 }, due: wake() }));
  let isWriting = true;
  const write = async (): Promise<void> => {
    for (let spec = 1; spec <= 150; spec += 1) {
      newest = await commit(h.store, put(a, { when: exists, content: { spec }, due: wake() }));
      bodyOf.set(newest, draft(a, { spec }).body);
    }
  };
  const writing = write().finally(() => {
    isWriting = false;
  });
  let last = 0;
  // The look that began after the last write finds whatever it left to do.
  for (let isLast = false; !isLast;) {
    isLast = !isWriting;
    for (const claim of await claimSome(worker)) {
      last = claim.revision;
      const written = bodyOf.get(last);
      if (written !== undefined) assert.deepEqual(claim.body, written);
      await commit(worker, schedule(a, release(), { claim }));
      isLast = false;
    }
  }
  await writing;
  assert.equal(last, newest);
});

test("what a dead worker held comes after all that has waited longer than its lease", async () => {
  await using h = await openForTest(server);
  const due = wake();
  const write = (name: string) => put(key(name), { due });
  const names = (prefix: string) => Array.from({ length: 20 }, (_, i) => `${prefix}${i}`);
  await h.store.commit(names("held").map(write));
  assert.equal((await claimSome(h.store, { limit: 20, leaseMs: 20 * minuteMs })).length, 20);
  await h.advanceClock(10 * minuteMs);
  await h.store.commit(names("waiting").map(write));
  assert.equal(await h.store.nextDue([widgets]), 0);
  await h.advanceClock(20 * minuteMs);
  for (const prefix of ["waiting", "held"]) {
    for (let turn = 0; turn < 2; turn += 1) {
      const claims = await claimSome(h.store, { limit: 10, leaseMs: 20 * minuteMs });
      assert.equal(claims.length, 10);
      for (const claim of claims) assert(claim.key.name.startsWith(prefix), claim.key.name);
    }
  }
  assert.deepEqual(await claimSome(h.store), []);
  assert(((await h.store.nextDue([widgets])) ?? 0) > 0, "all that is ready is leased");
});

test("a claim puts only some in order of very many that dead workers held", async () => {
  await using h = await openForTest(server);
  const due = wake();
  const write = (_: unknown, i: number) => put(key(`d${i}`), { due });
  await h.store.commit(Array.from({ length: 3_000 }, write));
  for (let turn = 0; turn < 3; turn += 1) {
    assert.equal((await claimSome(h.store, { limit: 1_000, leaseMs: minuteMs })).length, 1_000);
  }
  // As if they had been given out to many at once.
  await h.sql(`UPDATE ${h.schema}.due SET kept_at = 1`);
  await h.advanceClock(2 * minuteMs);
  for (let turn = 1; turn <= 2; turn += 1) {
    const claims = await claimSome(h.store, { limit: 100, leaseMs: 60 * minuteMs });
    assert.equal(claims.length, 100);
    const [row] = await h.sql(`SELECT count(*)::int AS moved FROM ${h.schema}.due
      WHERE token IS NOT NULL AND kept_at IS NULL`);
    assert(Number(row?.["moved"]) <= turn * 1_000, `${String(row?.["moved"])} were moved`);
  }
});

test("very many that are held are not in the way of who looks for work", async () => {
  await using h = await openForTest(server);
  const due = wake();
  await h.store.commit(Array.from({ length: 3_000 }, (_, i) => put(key(`d${i}`), { due })));
  const held: Claim[] = [];
  const leaseMs = 60 * minuteMs;
  for (let turn = 0; turn < 30; turn += 1) {
    held.push(...(await claimSome(h.store, { limit: 100, leaseMs })));
  }
  assert.equal(new Set(held.map((claim) => claim.key.name)).size, 3_000);
  const [row] = await h.sql(`SELECT count(*)::int AS passed FROM ${h.schema}.due
    WHERE ready_at < due_at`);
  assert(Number(row?.["passed"]) < 1_700, `${String(row?.["passed"])} are passed over`);
  assert.deepEqual(await claimSome(h.store), []);
  await h.advanceClock(leaseMs + minuteMs);
  const again = new Set<string>();
  for (let turn = 0; turn < 30; turn += 1) {
    const claims = await claimSome(h.store, { limit: 100, leaseMs });
    for (const claim of claims) again.add(claim.key.name);
  }
  assert.equal(again.size, 3_000);
});

/** Releases all of them in one batch, to be due again in an hour. */
async function releaseAll(store: Store, claims: readonly Claim[]): Promise<readonly string[]> {
  const writes = claims.map((claim) => schedule(claim.key, release(60 * minuteMs), { claim }));
  return await outcomes(store.commit(writes));
}

for (const isRewritten of [false, true]) {
  const where = isRewritten ? "in a table that was rewritten" : "by a renewal or a wake";
  test(`a release finds its row although it has moved since its claim, ${where}`, async () => {
    await using h = await openForTest(server);
    const names = ["a", "b", "c", "d"];
    await h.store.commit(names.map((name) => put(key(name), { due: wake() })));
    const claims = await claimSome(h.store);
    const [stays, renewed] = claims;
    assert(stays !== undefined && renewed !== undefined && claims.length === 4);
    await h.store.renew([renewed], 2 * minuteMs);
    await h.store.commit([schedule(key("c"), wake())]);
    if (isRewritten) await h.sql(`VACUUM FULL ${h.schema}.due`);
    assert.deepEqual(await releaseAll(h.store, claims), Array(4).fill("unchanged"));
    const again = await claimSome(h.store);
    assert.deepEqual(
      again.map((claim) => claim.key.name),
      ["c"],
      "it was woken meanwhile",
    );
    assert.deepEqual(await releaseAll(h.store, again), ["unchanged"]);
    assert.deepEqual(await releaseAll(h.store, claims), Array(4).fill("claim.lost"));
    assert.deepEqual(await h.store.verify(), []);
  });
}

test("claims that another worker has by now are not released, their neighbours are", async () => {
  await using h = await openForTest(server);
  await using other = await h.openAnother();
  await h.store.commit(["a", "b"].map((name) => put(key(name), { due: wake() })));
  const claims = await claimSome(h.store, { leaseMs: minuteMs });
  const kept = claims.filter((claim) => claim.key.name === "b");
  await h.store.renew(kept, 60 * minuteMs);
  await h.advanceClock(2 * minuteMs);
  const [taken] = await claimSome(other, { leaseMs: 60 * minuteMs });
  assert.equal(taken?.key.name, "a");
  assert.deepEqual(await releaseAll(h.store, claims), ["claim.lost", "unchanged"]);
  const { renewed } = await other.renew([taken], 60 * minuteMs);
  assert.equal(renewed.length, 1, "its claim is as it was");
});

test("a release that names another uid than was claimed is refused", async () => {
  await using h = await openForTest(server);
  await commit(h.store, put(key("a"), { due: wake() }));
  const [claim] = await claimSome(h.store);
  assert(claim !== undefined);
  const when = { kind: "exists", uid: "another" } as const;
  const wrong = schedule(key("a"), release(minuteMs), { claim, when });
  assert.equal(await refusal(h.store, wrong), "resource.conflict");
  assert.deepEqual(await releaseAll(h.store, [claim]), ["unchanged"]);
});

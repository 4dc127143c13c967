/** Pages on PostgreSQL: bounded in the rows looked at and in bytes, and honest about the time. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { decodeDocument } from "../../src/kernel/document.ts";
import { limits } from "../../src/kernel/limits.ts";
import { parseSelector } from "../../src/kernel/selector.ts";
import {
  commit,
  del,
  exists,
  gadgets,
  key,
  listNames,
  pagesOf,
  put,
  rejectsWith,
  widgets,
} from "../../src/store/contract/samples.ts";
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

test("a page looks at a bounded number of rows in vain, and the next one goes on", async () => {
  await using h = await openForTest(server);
  const content = { labels: { app: "web" } };
  const name = (index: number) => `n${String(index).padStart(5, "0")}`;
  const web = Array.from({ length: 12_000 }, (_, i) => put(key(name(i)), { content }));
  for (let at = 0; at < web.length; at += 2_000) await h.store.commit(web.slice(at, at + 2_000));
  await commit(h.store, put(key("zzz")));
  for (const selector of ["!app", "app notin (web)", "app!=web"]) {
    const query = { kind: widgets, limit: 10, labels: parseSelector(selector) };
    const pages = await pagesOf(h.store, query);
    assert.deepEqual(
      pages.map(({ records }) => records.map((record) => record.key.name)),
      [[], ["zzz"]],
      selector,
    );
  }
  const named = { kind: widgets, limit: 5, labels: parseSelector("app=web,app notin (db)") };
  assert.equal((await h.store.list(named)).records.length, 5);
  const { revision } = await h.store.head();
  await commit(h.store, put(key("zzz"), { when: exists, content }));
  const past = { kind: widgets, limit: 10, at: revision, labels: parseSelector("!app") };
  assert.deepEqual(await listNames(h.store, past), ["zzz"]);
});

test("what is together in the log and what is far apart in it are listed alike", async () => {
  await using h = await openForTest(server);
  const names = Array.from({ length: 40 }, (_, index) => `n${String(39 - index).padStart(2, "0")}`);
  const expected = new Map<string, number>();
  const write = async (name: string, turn: number): Promise<void> => {
    const when = turn === 0 ? {} : { when: exists };
    await commit(h.store, put(key(name), { ...when, content: { spec: { turn } } }));
    expected.set(name, turn);
  };
  const check = async (): Promise<void> => {
    const sorted = [...expected].sort(([a], [b]) => (a < b ? -1 : 1));
    for (const limit of [1, 7, 39, 40, 41, 100]) {
      const pages = await pagesOf(h.store, { kind: widgets, namespace: key("a").namespace, limit });
      const listed = pages.flatMap(({ records }) => records);
      const found = listed.map(({ key: of, body, revision }) => {
        const { spec } = decodeDocument(body, revision) as { readonly spec?: unknown };
        return [of.name, (spec as { readonly turn: number }).turn];
      });
      assert.deepEqual(found, sorted, `pages of ${limit}`);
    }
  };
  for (const name of names) await write(name, 0);
  await check();
  // Changes of the same resources and of others in between, few at first.
  for (const name of names.slice(0, 5)) await write(name, 1);
  await commit(h.store, put(key("x", "team", gadgets)));
  await check();
  await commit(h.store, del(key("n20")));
  expected.delete("n20");
  for (const name of names.filter((one) => expected.has(one) && one < "n10")) await write(name, 2);
  await check();
});

test("a label or a field with no value to have matches nothing", async () => {
  await using h = await openForTest(server);
  await commit(h.store, put(key("a"), { content: { labels: { app: "web" } } }));
  const none = { key: "app", operator: "in", values: [] } as const;
  const all = { key: "app", operator: "notin", values: [] } as const;
  for (const at of [{}, { at: 1 }]) {
    assert.deepEqual(await listNames(h.store, { kind: widgets, labels: [none], ...at }), []);
    assert.equal((await listNames(h.store, { kind: widgets, labels: [all], ...at })).length, 1);
  }
});

test("pages of sealed, deleted and past documents are bounded in bytes", async () => {
  await using h = await openForTest(server);
  const secret = "s".repeat(64 * 1024);
  const names = Array.from({ length: 20 }, (_, index) => `n${index}`);
  const sealed = (name: string, turn: number) => {
    const { key: of, uid, draft } = put(key(name), { content: { spec: { secret, turn } } });
    return { draft: { ...draft, secrets: ["/spec/secret"] }, key: of, uid };
  };
  for (const name of names) {
    await commit(h.store, { ...put(key(name)), ...sealed(name, 0) });
  }
  const one = names[0] ?? "";
  for (let turn = 1; turn < 20; turn += 1) {
    await commit(h.store, { ...put(key(one), { when: exists }), ...sealed(one, turn) });
  }
  const full = (await h.store.head()).revision;
  await h.store.commit(names.map((name) => del(key(name))));
  await using reader = await h.openAnother();
  const bytes = (bodies: readonly { readonly body: Buffer }[]) =>
    bodies.reduce((sum, { body }) => sum + body.length, 0);
  const pages = [
    (await reader.list({ kind: widgets, at: full })).records,
    (await reader.changes(0)).changes,
    (await reader.changes(full)).changes,
    await reader.history(key(one)),
  ];
  for (const [index, page] of pages.entries()) {
    assert(page.length > 5 && bytes(page) <= limits.maxPageBytes, `page ${index}`);
  }
});

test("pages of what is current are in order and bounded, whatever was written last", async () => {
  await using h = await openForTest(server);
  const text = "t".repeat(64 * 1024);
  const keys = ["a", "b"].flatMap((namespace) =>
    Array.from({ length: 10 }, (_, index) => key(`n${index}`, namespace)),
  );
  for (const [index, of] of keys.toReversed().entries()) {
    const { draft, ...write } = put(of, { content: { spec: { text, secret: index } } });
    const secrets = index % 3 === 0 ? ["/spec/secret"] : [];
    await commit(h.store, { ...write, draft: { ...draft, secrets } });
  }
  await using reader = await h.openAnother();
  const pages = await pagesOf(reader, { kind: widgets });
  const [first] = pages;
  assert(first !== undefined && first.records.length > 5 && first.next !== undefined);
  for (const { records } of pages) {
    assert(records.reduce((sum, { body }) => sum + body.length, 0) <= limits.maxPageBytes);
  }
  const all = pages.flatMap(({ records }) => records);
  assert.deepEqual(all, await reader.getMany(keys));
  const inside = await reader.list({ kind: widgets, namespace: "b" });
  assert.deepEqual(inside, { revision: first.revision, records: all.slice(10) });
  const some = await reader.list({ kind: widgets, limit: 3, countRemaining: true });
  const next = { revision: first.revision, namespace: "a", name: "n2" };
  const records = all.slice(0, 3);
  assert.deepEqual(some, { revision: first.revision, records, next, remaining: 17 });
});

test("a read that takes too long is told as such, and is not repeated", async () => {
  await using h = await openForTest(server, { readPatienceMs: 3_000 });
  await h.sql(`CREATE OR REPLACE FUNCTION ${h.schema}.now_v1(skew_ms bigint) RETURNS bigint
    LANGUAGE sql VOLATILE AS $$ SELECT 0::bigint FROM pg_sleep(300) $$`);
  const began = performance.now();
  await assert.rejects(h.store.nextDue([widgets]), /the query took too long/);
  assert(performance.now() - began < 200_000);
  await rejectsWith("store.unavailable", h.store.nextDue([widgets]));
});

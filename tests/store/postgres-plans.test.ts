/**
 * The plans behind the port. Every hot statement must go through an index, on an empty database
 * (where a session's plans are made) as on a filled one, so none of them gets slower with history.
 * The server explains what it runs, also inside of functions, into its log.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { parseSelector } from "../../src/kernel/selector.ts";
import {
  claimSome,
  commit,
  del,
  exists,
  key,
  put,
  release,
  schedule,
  wake,
  widgets,
} from "../../src/store/contract/samples.ts";
import { startPostgres } from "../peers/postgres.ts";
import type { Postgres } from "../peers/postgres.ts";
import { openForTest } from "./postgres-for-test.ts";
import type { PostgresHarness } from "./postgres-for-test.ts";

let server: Postgres;

before(async () => {
  server = await startPostgres({
    settings: {
      session_preload_libraries: "auto_explain",
      "auto_explain.log_min_duration": "0",
      "auto_explain.log_nested_statements": "on",
      "auto_explain.log_analyze": "on",
      "auto_explain.log_buffers": "on",
      // Nobody tells the planner about the tables in between.
      autovacuum: "off",
    },
  });
});
after(async () => {
  await server[Symbol.asyncDispose]();
});

/** Uses everything that is asked often. */
async function everyday({ store }: PostgresHarness, turn: number): Promise<void> {
  const a = key(`a${turn}`);
  const content = { labels: { app: "web", tier: "x" }, owners: ["o1"] };
  const held = { names: [{ scope: "s", name: `n${turn}` }], uses: [{ counter: "c", amount: 1 }] };
  await commit(store, put(a, { content, due: wake(), ...held }));
  const relabelled = { ...content, labels: { app: "db" }, spec: turn };
  await commit(store, put(a, { when: exists, content: relabelled }));
  const claims = await claimSome(store, { limit: 20 });
  await store.renew(claims, 60_000);
  await store.commit(claims.map((claim) => schedule(claim.key, release(), { claim })));
  await store.nextDue([widgets]);
  await store.workOf([a, key("none")]);
  await store.backlog({ kind: widgets, limit: 5 });
  await store.backlog({ kind: widgets, namespace: "team", limit: 5 });
  await store.get(a);
  await store.getMany([a, key("none")]);
  const page = await store.list({ kind: widgets, limit: 2 });
  for (const labels of ["app=db", "app in (db,web)", "app", "app=web,app!=db", "tier=x,app"]) {
    const query = { kind: widgets, limit: 2, labels: parseSelector(labels) };
    await store.list(query);
    await store.list({ ...query, namespace: "team" });
    if (page.next !== undefined) await store.list({ ...query, from: page.next });
  }
  await store.list({ kind: widgets, owner: "o1" });
  await store.changes(0);
  await store.changes(0, 100, { kinds: [widgets] });
  await store.list({ kind: widgets, limit: 2, countRemaining: true });
  if (page.next !== undefined) {
    await store.list({ kind: widgets, limit: 2, from: page.next, countRemaining: true });
  }
  await store.history(a);
  await store.nameHolder({ scope: "s", name: `n${turn}` });
  await store.counter("c");
  await commit(store, del(a));
}

async function fill({ store }: PostgresHarness): Promise<void> {
  const names = Array.from({ length: 3_000 }, (_, index) => `f${index}`);
  const content = { labels: { app: "web" } };
  const writes = names.map((name) =>
    put(key(name, `team${name.at(-1)}`), { content, due: wake() }),
  );
  await store.commit(writes);
}

test("everyday statements scan no table, neither an empty nor a full one", async () => {
  await using h = await openForTest(server);
  const from = server.log().length;
  await everyday(h, 1);
  await fill(h);
  await everyday(h, 2);
  await everyday(h, 3);
  const log = server.log().slice(from);
  assert(log.includes("Index Scan using resource_pkey"), "plans are in the log");
  // How far the schema is, a few rows, is looked at every few seconds.
  assert.deepEqual(log.match(/Seq Scan on (?!schema_version)\w+/g) ?? [], []);
  // A lookup that reads many rows to keep few goes through the wrong index.
  const wasted = [...log.matchAll(/Rows Removed by Filter: (\d+)/g)].map(([, rows]) =>
    Number(rows),
  );
  assert.deepEqual(
    wasted.filter((rows) => rows > 100),
    [],
  );
});

/** The most pages that one statement, with all inside of it, looked at during the task. */
async function pagesOfWorst(task: () => Promise<unknown>): Promise<number> {
  const from = server.log().length;
  await task();
  const hits = [
    ...server
      .log()
      .slice(from)
      .matchAll(/Buffers: shared hit=(\d+)/g),
  ];
  return Math.max(0, ...hits.map(([, pages]) => Number(pages)));
}

function labelledContent(app: string) {
  return { labels: { app, tier: "x" }, owners: ["o1"] };
}

/** Each kind of write and claim, once, and how many pages it took. */
async function pagesOfWrites(h: PostgresHarness, turn: number): Promise<Map<string, number>> {
  const { store } = h;
  const [a, b] = [key(`a${turn}`), key(`b${turn}`)];
  const held = { names: [{ scope: "s", name: `n${turn}` }], uses: [{ counter: "c", amount: 1 }] };
  const pages = new Map<string, number>();
  const measure = async (name: string, task: () => Promise<unknown>): Promise<void> => {
    pages.set(name, await pagesOfWorst(task));
  };
  const create = put(a, { content: labelledContent("web") });
  await measure("create", async () => await commit(store, create));
  await measure("take", async () => {
    await commit(store, put(b, { content: labelledContent("web"), due: wake(), ...held }));
  });
  const relabel = put(a, { when: exists, content: labelledContent("db") });
  await measure("relabel", async () => await commit(store, relabel));
  await measure("claim", async () => {
    const claims = await claimSome(store, { limit: 2 });
    await store.renew(claims, 60_000);
    await store.commit(claims.map((claim) => schedule(claim.key, release(), { claim })));
  });
  await measure("skip", async () => {
    assert.deepEqual(await claimSome(store, { limit: 2, skipNamespaces: ["team"] }), []);
  });
  await measure("next due", async () => await store.nextDue([widgets]));
  await measure("history", async () => await store.history(a));
  await measure("delete", async () => await commit(store, del(a)));
  await measure("let go", async () => await commit(store, del(b)));
  return pages;
}

/** Straight into the tables, since thousands of explained commits make a very long log. */
async function stuff(h: PostgresHarness, items: number): Promise<void> {
  const { terms } = put(key("f"), { content: labelledContent("web") }).draft;
  const literal = `ARRAY[${terms.map((term) => `'${term}'`).join(", ")}]`;
  const keys = `'${widgets}' AS kind, 'team' AS namespace, 'f' || g AS name`;
  const each = `generate_series(1, ${items}) g`;
  await h.sql(`SET search_path = ${h.schema};
    INSERT INTO change (kind, namespace, name, revision, at_ms, type, uid, terms, digest, document)
      SELECT ${keys}, h.revision + g, 0, 1, 'u', ${literal}, '', '{}' FROM head h, ${each};
    INSERT INTO resource (kind, namespace, name, revision, size, uid, terms, digest)
      SELECT ${keys}, h.revision + g, 2, 'u', ${literal}, '' FROM head h, ${each};
    INSERT INTO term (kind, namespace, name, term)
      SELECT ${keys}, t FROM ${each}, unnest(${literal}) t;
    INSERT INTO due (kind, namespace, name, due_at) SELECT ${keys}, g FROM ${each};
    INSERT INTO unique_name (kind, namespace, name, scope, label)
      SELECT ${keys}, 's', 'f' || g FROM ${each};
    INSERT INTO usage (kind, namespace, name, counter, amount) SELECT ${keys}, 'c', 1 FROM ${each};
    UPDATE head SET revision = revision + ${items}`);
}

for (const isAnalysedFirst of [false, true]) {
  const when = isAnalysedFirst ? "while small" : "never";
  test(`a write costs the same whatever is stored, on tables analysed ${when}`, async () => {
    await using h = await openForTest(server);
    await pagesOfWrites(h, 0);
    if (isAnalysedFirst) await h.sql(`ANALYZE ${h.schema}.term, ${h.schema}.resource`);
    const small = await pagesOfWrites(h, 1);
    await stuff(h, 10_000);
    await pagesOfWrites(h, 2);
    const large = await pagesOfWrites(h, 3);
    for (const [name, pages] of large) {
      const few = small.get(name) ?? 0;
      assert(few > 0 && pages <= few + 60, `${name}: ${few} pages, then ${pages}`);
    }
  });
}

test("a backlog counts what is due once, however many it shows", async () => {
  await using h = await openForTest(server);
  await stuff(h, 2_000);
  assert.equal((await claimSome(h.store, { limit: 1_000, leaseMs: 3_600_000 })).length, 1_000);
  const shown = async (): Promise<void> => {
    const { due, next } = await h.store.backlog({ kind: widgets, limit: 500 });
    assert.deepEqual([due, next.length], [1_000, 500]);
  };
  // Counting means to pass over what is claimed, too.
  const pages = await pagesOfWorst(shown);
  assert(pages < 2_000, `${pages} pages`);
});

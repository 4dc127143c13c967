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
  assert.deepEqual(log.match(/Seq Scan on \w+/g) ?? [], []);
  // A lookup that reads many rows to keep few goes through the wrong index.
  const wasted = [...log.matchAll(/Rows Removed by Filter: (\d+)/g)].map(([, rows]) =>
    Number(rows),
  );
  assert.deepEqual(
    wasted.filter((rows) => rows > 100),
    [],
  );
});

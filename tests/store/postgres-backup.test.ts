/** Dumps and loads on PostgreSQL: they may take longer than everyday statements, and fail typed. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { setTimeout } from "node:timers/promises";
import {
  allRows,
  commit,
  key,
  listAll,
  put,
  rejectsWith,
  rowsOf,
  widgets,
} from "../../src/store/contract/samples.ts";
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

/** Makes the one statement that fills the index of resources take this long. */
async function slowDown(h: PostgresHarness, seconds: number): Promise<void> {
  const { schema } = h;
  await h.sql(`CREATE FUNCTION ${schema}.dawdle() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN PERFORM pg_sleep(${seconds}); RETURN NULL; END $$;
    CREATE TRIGGER dawdle AFTER INSERT ON ${schema}.resource
    FOR EACH STATEMENT EXECUTE FUNCTION ${schema}.dawdle()`);
}

test("a load may take longer than an everyday statement, and leaves statistics", async () => {
  await using from = await openForTest(server);
  await commit(from.store, put(key("a"), { content: { labels: { app: "web", tier: "x" } } }));
  await commit(from.store, put(key("b"), { content: { labels: { app: "web" } } }));
  const rows = await allRows(from.store);
  await using h = await openForTest(server, { readPatienceMs: 3_000 });
  await slowDown(h, 4);
  await h.store.load(rowsOf(rows));
  assert.equal((await listAll(h.store, { kind: widgets })).length, 2);
  assert.deepEqual(await h.store.verify(), []);
  const known = await h.sql(
    `SELECT relname FROM pg_class WHERE relnamespace = '${h.schema}'::regnamespace
    AND relname IN ('change', 'resource', 'term') AND reltuples > 0`,
  );
  assert.equal(known.length, 3);
});

test("a load of what is not sound is refused whole, and can be tried again", async () => {
  await using from = await openForTest(server);
  await commit(from.store, put(key("a")));
  const rows = await allRows(from.store);
  const bent = rows.map((row) =>
    row.row === "change" ? { ...row, document: Buffer.from("{}") } : row,
  );
  await using h = await openForTest(server);
  await rejectsWith("backup.invalid", h.store.load(rowsOf(bent)));
  assert.equal((await h.store.head()).revision, 0);
  await h.store.load(rowsOf(rows));
  assert.equal((await listAll(h.store, { kind: widgets })).length, 1);
});

test("a load whose connection is lost has a typed error and leaves nothing", async () => {
  await using from = await openForTest(server);
  await commit(from.store, put(key("a")));
  const rows = await allRows(from.store);
  await using h = await openForTest(server);
  await slowDown(h, 300);
  const loading = rejectsWith("store.unavailable", h.store.load(rowsOf(rows)));
  for (let ended = 0; ended === 0; await setTimeout(5)) {
    const found = await h.sql(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE query LIKE 'INSERT INTO resource%' AND wait_event = 'PgSleep'`);
    ended = found.length;
  }
  await loading;
  assert.equal((await h.store.stats()).changes, 0);
});

test("what goes wrong in the dump itself is told as it is", async () => {
  await using h = await openForTest(server);
  const own = new Error("the file cannot be read");
  async function* broken() {
    yield { row: "meta", head: 1, compacted: 0, lastToken: 0 } as const;
    throw own;
  }
  await assert.rejects(h.store.load(broken()), own);
  assert.equal(await commit(h.store, put(key("a"))), 1);
});

/**
 * The connections that a store has: none is left behind when the database refuses something, and
 * nobody waits for one who need not.
 */
import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { Client } from "pg";
import { commit, key, put, rejectsWith, soon } from "../../src/store/contract/samples.ts";
import type { Store } from "../../src/store/port.ts";
import { startPostgres } from "../peers/postgres.ts";
import type { Postgres } from "../peers/postgres.ts";
import { waitUntil, within } from "../peers/wait.ts";
import { endConnections, openForTest } from "./postgres-for-test.ts";
import type { PostgresHarness } from "./postgres-for-test.ts";

let server: Postgres;

before(async () => {
  server = await startPostgres();
});
after(async () => {
  await server[Symbol.asyncDispose]();
});

async function connections(h: PostgresHarness): Promise<number> {
  const text = "SELECT FROM pg_stat_activity WHERE application_name = 'setpoint'";
  return (await h.sql(text)).length;
}

/** Until the server has refused this so often more. */
async function refusals(of: Postgres, message: string, count: number): Promise<void> {
  const seen = (): number => of.log().split(message).length;
  const former = seen();
  await waitUntil(`${count} times: ${message}`, () => seen() >= former + count, {
    limitMs: 30_000,
  });
}

test("a database that refuses the listener gets no connection more from each try", async () => {
  await using h = await openForTest(server);
  await commit(h.store, put(key("a")));
  await h.sql(`ALTER TABLE ${h.schema}.schema_version RENAME TO away`);
  await endConnections(h);
  await refusals(server, 'relation "schema_version" does not exist', 20);
  const open = await connections(h);
  assert.ok(open < 8, `${open} connections`);
  await h.sql(`ALTER TABLE ${h.schema}.away RENAME TO schema_version`);
  const other = await h.openAnother();
  const heard = h.store.advancedBeyond(1, soon());
  assert.equal(await commit(other, put(key("b"))), 2);
  assert.equal(await heard, 2);
  await Promise.all([h.store.close(), other.close()]);
  await waitUntil("all connections to end", async () => (await connections(h)) === 0);
});

test("a store that cannot begin to listen leaves no connection behind", async () => {
  await using h = await openForTest(server);
  await h.sql("CREATE ROLE deaf LOGIN; GRANT CREATE ON DATABASE postgres TO deaf");
  const guest = { url: h.url.replace("postgres@", "deaf@"), schema: `${h.schema}_deaf` };
  await (await h.openAnother(guest)).close();
  const lock = "FUNCTION pg_advisory_lock_shared(integer, integer)";
  await h.sql(`REVOKE EXECUTE ON ${lock} FROM PUBLIC`);
  try {
    await rejectsWith("config.invalid", h.openAnother(guest));
    await waitUntil("all connections to end", async () => {
      return (await h.sql("SELECT FROM pg_stat_activity WHERE usename = 'deaf'")).length === 0;
    });
  } finally {
    await h.sql(`GRANT EXECUTE ON ${lock} TO PUBLIC`);
  }
});

test("a server that was a standby for a while is written to once it is promoted", async () => {
  const own = await startPostgres({ settings: { max_connections: "20" } });
  try {
    await using h = await openForTest(own, { commitPatienceMs: 2_000, readPatienceMs: 2_000 });
    await commit(h.store, put(key("a")));
    await own.stop();
    await writeFile(join(own.folder, "data", "standby.signal"), "");
    await own.start();
    // More than there are places.
    await refusals(own, "cannot execute LISTEN during recovery", 25);
    await rejectsWith("store.read_only", h.store.commit([put(key("b"))]));
    assert.equal((await h.store.get(key("a")))?.revision, 1);
    await h.sql("SELECT pg_promote()");
    assert.equal(await commit(h.store, put(key("b"))), 2);
    const other = await h.openAnother();
    const heard = h.store.advancedBeyond(2, soon());
    assert.equal(await commit(other, put(key("c"))), 3);
    assert.equal(await heard, 3);
  } finally {
    await own[Symbol.asyncDispose]();
  }
});

/** Holds a lock that reads of counters wait for, and no commit does. */
async function blocking(h: PostgresHarness, task: () => Promise<void>): Promise<void> {
  const client = new Client({ connectionString: h.url });
  await client.connect();
  try {
    await client.query(`BEGIN; LOCK TABLE ${h.schema}.counter IN ACCESS EXCLUSIVE MODE`);
    await task();
  } finally {
    await client.end();
  }
}

test("a commit does not wait for those who read", async () => {
  await using h = await openForTest(server, { readConnections: 2, readPatienceMs: 60_000 });
  const other = await h.openAnother();
  // As a watch does: what others commit is read for the log, before the own commit that follows.
  const over = new AbortController();
  const following = follow(h.store, over.signal);
  await blocking(h, async () => {
    const reads = ["a", "b", "c"].map(async (name) => await h.store.counter(name));
    const waiting = "SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock'";
    await waitUntil("the reads to wait", async () => (await h.sql(waiting)).length === 2);
    for (let turn = 0; turn < 10; turn += 1) {
      await commit(other, put(key(`other-${turn}`)));
      const own = commit(h.store, put(key(`own-${turn}`)));
      const revision = await within("the answer", own, { limitMs: 5_000 });
      assert.ok((await h.store.head()).revision >= revision);
    }
    reads.forEach((read) => void read.catch(() => undefined));
  });
  over.abort(new Error("done"));
  await assert.rejects(following, /done/);
  const log = await h.store.changes(0);
  assert.equal(log.changes.length, 20);
});

async function follow(store: Store, signal: AbortSignal): Promise<void> {
  for (let seen = 0; ;) {
    await store.advancedBeyond(seen, signal);
    seen = (await store.changes(seen)).through;
  }
}

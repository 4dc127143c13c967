/** An answer is on the disk, whatever the defaults of the server, the database or the role are. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { systemClock } from "../../src/kernel/clock.ts";
import { systemTimers } from "../../src/kernel/timers.ts";
import { claimSome, commit, key, minuteMs, put, wake } from "../../src/store/contract/samples.ts";
import { Reach } from "../../src/store/postgres/reach.ts";
import { Session } from "../../src/store/postgres/session.ts";
import { startPostgres } from "../peers/postgres.ts";
import type { Postgres } from "../peers/postgres.ts";
import { openForTest } from "./postgres-for-test.ts";

let server: Postgres;

before(async () => {
  // Without a session that waits for it, the log reaches the disk after seconds only.
  const settings = { synchronous_commit: "off", wal_writer_delay: "10s" };
  server = await startPostgres({ settings });
});
after(async () => {
  await server[Symbol.asyncDispose]();
});

test("what was answered outlives kill -9 of a server whose commits need not wait", async () => {
  await using h = await openForTest(server, { commitPatienceMs: 60_000, readPatienceMs: 60_000 });
  assert.deepEqual(await h.store.hazards(), []);
  await commit(h.store, put(key("a"), { due: wake() }));
  await commit(h.store, put(key("b"), { due: wake() }));
  const given = await claimSome(h.store);
  const newest = await commit(h.store, put(key("c"), { due: wake() }));
  await server.kill9();
  await server.start();
  assert((await h.store.get(key("c")))?.revision === newest, "a commit is lost");
  assert.equal((await h.store.renew(given, minuteMs)).lost.length, 0, "a claim is lost");
  const [another] = await claimSome(h.store);
  assert(
    given.every(({ token }) => token < (another?.token ?? 0)),
    "a token is given twice",
  );
});

test("a weaker default is raised for our sessions, a stronger one is kept", async () => {
  await using h = await openForTest(server);
  const expected = { off: "on", local: "on", remote_write: "remote_write", on: "on" };
  for (const [usual, ours] of Object.entries({ ...expected, remote_apply: "remote_apply" })) {
    await h.sql(`ALTER ROLE CURRENT_USER SET synchronous_commit = ${usual}`);
    assert.equal(await settingOf(h.url, h.schema), ours, usual);
  }
});

async function settingOf(url: string, schema: string): Promise<unknown> {
  const session = await Session.open({
    url,
    schema,
    timers: systemTimers,
    connectTimeoutMs: 10_000,
    statementTimeoutMs: 10_000,
    readOnly: false,
    reach: new Reach(systemClock),
  });
  try {
    const [row] = await session.rows({ text: "SHOW synchronous_commit" });
    return row?.[0];
  } finally {
    await session.close();
  }
}

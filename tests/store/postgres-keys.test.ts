/** A change of keys on PostgreSQL, where other processes have rings of their own. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Client } from "pg";
import { commit, key, put, rejectsWith } from "../../src/store/contract/samples.ts";
import { keyRing, newSealKey } from "../../src/store/key-ring.ts";
import { startPostgres } from "../peers/postgres.ts";
import type { Postgres } from "../peers/postgres.ts";
import { waitUntil } from "../peers/wait.ts";
import { openForTest } from "./postgres-for-test.ts";

let server: Postgres;
const [first, second] = [newSealKey(), newSealKey()];
const content = { secrets: { password: "correct-horse" } };

before(async () => {
  server = await startPostgres();
});
after(async () => {
  await server[Symbol.asyncDispose]();
});

test("a process knows the rings of those that write beside it, on this store", async () => {
  await using h = await openForTest(server, { keys: [first] });
  await using elsewhere = await openForTest(server, { keys: [second] });
  assert.deepEqual(await h.store.otherRings(), []);
  const other = await h.openAnother({ keys: keyRing([second, first]) });
  await h.openAnother({ keys: keyRing([second]), readOnly: true });
  const rings = await h.store.otherRings();
  assert.deepEqual(
    rings.map((ring) => [ring.has(first.id), ring.has(second.id)]),
    [[true, true]],
  );
  assert.deepEqual(
    rings.map((ring) => [ring.sealsWith(first.id), ring.sealsWith(second.id)]),
    [[false, true]],
  );
  await other.close();
  await waitUntil("the other to be gone", async () => (await h.store.otherRings()).length === 0);
  assert.deepEqual(await elsewhere.store.otherRings(), []);
});

test("a ring that changes is told while its process runs, also after a lost link", async () => {
  await using h = await openForTest(server, { keys: [first] });
  let ring = keyRing([first]);
  const changing = {
    active: () => ring.active(),
    find: (id: string) => ring.find(id),
    ids: () => ring.ids(),
  };
  await h.openAnother({ keys: changing });
  ring = keyRing([second, { ...first, isWaiting: true }]);
  const isTold = async (): Promise<boolean> => {
    const [other] = await h.store.otherRings();
    return other?.sealsWith(second.id) === true && !other.sealsWith(first.id);
  };
  await waitUntil("the change to be told", isTold, { limitMs: 15_000 });
  await h.sql(`SELECT pg_terminate_backend(l.pid) FROM pg_locks l WHERE l.locktype = 'advisory'
    AND l.pid NOT IN (SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND NOT granted)`);
  const isToldAgain = async (): Promise<boolean> => await isTold().catch(() => false);
  await waitUntil("it to be told again", isToldAgain, { limitMs: 15_000 });
});

test("only one process at a time changes keys", async () => {
  await using h = await openForTest(server, { keys: [first] });
  const other = await h.openAnother();
  await h.store.beginKeyChange();
  await rejectsWith("store.locked", other.beginKeyChange());
  await h.store.close();
  await waitUntil("the lock to be free", async () => {
    return await other.beginKeyChange().then(
      () => true,
      () => false,
    );
  });
});

test("a key is retired only after every commit that it sealed has ended", async () => {
  await using h = await openForTest(server, { keys: [first] });
  const { schema } = h;
  await commit(h.store, put(key("before"), { content }));
  const rotated = await h.openAnother({ keys: keyRing([second, first]) });
  // A commit that was sealed and sent before, and stays under way.
  await h.sql(`CREATE FUNCTION ${schema}.dawdle() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN IF NEW.name = 'slow' THEN PERFORM pg_sleep(2); END IF; RETURN NULL; END $$;
    CREATE TRIGGER dawdle AFTER INSERT ON ${schema}.resource
    FOR EACH ROW EXECUTE FUNCTION ${schema}.dawdle()`);
  const slow = h.store.commit([put(key("slow"), { content })]);
  await waitUntil("the commit to be under way", async () => {
    const text = "SELECT count(*)::int AS n FROM pg_stat_activity WHERE wait_event = 'PgSleep'";
    return (await h.sql(text))[0]?.["n"] === 1;
  });
  await rotated.retireKeys([first.id]);
  assert.equal((await slow)[0]?.kind, "committed");
  assert.equal(await rotated.reseal(), 2);
  await rejectsWith("secret.key_retired", h.store.commit([put(key("late"), { content })]));
  assert.deepEqual(
    (await rotated.keyUses()).map(({ id }) => id),
    [second.id],
  );
  const { revision } = await rotated.head();
  assert.equal(await commit(h.store, put(key("plain"))), revision + 1);
});

test("a key is retired only after what began before has ended", async () => {
  await using h = await openForTest(server, { keys: [second, first] });
  const earlier = new Client({ connectionString: h.url });
  await earlier.connect();
  try {
    // As a sealed commit that has looked for retired keys, and did not come to the head yet.
    await earlier.query(`BEGIN; SELECT FROM ${h.schema}.resource`);
    let isRetired = false;
    const retiring = h.store.retireKeys([first.id]).then(() => (isRetired = true));
    const retired = `SELECT FROM ${h.schema}.resource WHERE name = '${first.id}'`;
    await waitUntil("it to be recorded", async () => (await h.sql(retired)).length === 1);
    for (let turn = 0; turn < 20; turn += 1) await h.sql("SELECT");
    assert.equal(isRetired, false);
    await earlier.query("COMMIT");
    await retiring;
  } finally {
    await earlier.end();
  }
});

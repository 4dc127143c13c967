/**
 * What PostgreSQL adds to the contract: connections that break, servers that restart or stop to
 * answer, several processes. Whatever happens, an answer is exact: a committed write is there once,
 * a refused one is not, and what took too long is told as a typed error in bounded time.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { setImmediate } from "node:timers/promises";
import { Client } from "pg";
import { isSetpointError } from "../../src/kernel/errors.ts";
import {
  changesAfter,
  commit,
  del,
  exists,
  hasCode,
  key,
  put,
  rejectsWith,
  revisionOf,
  soon,
  wake,
  widgets,
} from "../../src/store/contract/samples.ts";
import { newSealKey } from "../../src/store/key-ring.ts";
import type { Answer, Store } from "../../src/store/port.ts";
import { batchValueCount } from "../../src/store/postgres/batch.ts";
import { startPostgres } from "../peers/postgres.ts";
import type { Postgres } from "../peers/postgres.ts";
import { endConnections, load, openForTest, until } from "./postgres-for-test.ts";

let server: Postgres;

/** Longer than any server is away here, also on a busy machine. */
const patient = { commitPatienceMs: 60_000, readPatienceMs: 60_000 };

before(async () => {
  server = await startPostgres();
});
after(async () => {
  await server[Symbol.asyncDispose]();
});

/** Every answered creation is in the log exactly once, under its revision, and nothing else is. */
async function assertExact(store: Store, answers: ReadonlyMap<string, Answer>): Promise<void> {
  const log = await changesAfter(store, 0);
  assert.deepEqual(
    log.map((change) => change.revision),
    log.map((_, index) => index + 1),
  );
  const committed = new Map([...answers].map(([name, answer]) => [name, revisionOf(answer)]));
  assert.deepEqual(
    new Map(log.map((change) => [change.key.name, change.revision])),
    new Map([...committed].toSorted(([, a], [, b]) => a - b)),
  );
  assert.deepEqual(await store.verify(), []);
}

// So many callers that a second batch is under way behind the first.
for (const callers of [8, 600]) {
  test(`batches of ${callers} callers on lost connections are applied once`, async () => {
    await using h = await openForTest(server, patient);
    const work = load(h.store, "n", callers);
    // Some rounds find none to end, because the last one was not replaced yet.
    for (let ended = 0, round = 1; ended < 12; round += 1) {
      await until(() => work.answers.size >= round * callers * 2);
      ended += await endConnections(h);
    }
    const { answers, failures } = await work.stop();
    assert.deepEqual(failures, []);
    await assertExact(h.store, answers);
  });
}

test("writes on a key keep the order of the calls, whatever is under way and lost", async () => {
  await using h = await openForTest(server, patient);
  const work = load(h.store, "n", 600);
  const name = key("one");
  await commit(h.store, put(name));
  const calls: Promise<unknown>[] = [];
  for (let spec = 1; spec <= 60; spec += 1) {
    calls.push(h.store.commit([put(name, { when: exists, content: { spec } })]));
    if (spec % 20 === 0) await endConnections(h);
    if (spec % 4 === 0) await setImmediate();
  }
  await Promise.all(calls);
  await work.stop();
  const history = await h.store.history(name, { limit: 1_000 });
  const specs = history.map(({ body }) => (JSON.parse(body.toString()) as { spec?: number }).spec);
  const wanted = Array.from({ length: 60 }, (_, index) => 60 - index);
  assert.deepEqual(specs.slice(0, -1), wanted);
});

test("a batch that was applied is answered from memory when it is sent again", async () => {
  await using h = await openForTest(server);
  await commit(h.store, put(key("a")));
  const [first] = await h.sql(`SELECT id, batch, answer FROM ${h.schema}.writer`);
  const nothing = Array.from({ length: batchValueCount - 2 }, () => "'{}'").join(", ");
  const send = async (batch: number) =>
    await h.sql(
      `SELECT set_config('search_path', '${h.schema}', false), ${h.schema}.commit_v4(
        '${String(first?.["id"])}', ${batch}, 0, ${nothing}, NULL, '{}') answer`,
    );
  const [again] = await send(Number(first?.["batch"]));
  assert.equal(again?.["answer"], first?.["answer"]);
  await commit(h.store, put(key("b")));
  await assert.rejects(send(Number(first?.["batch"])), { code: "SP001" });
  assert.equal((await h.store.head()).revision, 2);
});

test("an attempt that was given up is never applied, however late it goes on", async () => {
  await using h = await openForTest(server, { commitPatienceMs: 8_000 });
  const other = await h.openAnother();
  await commit(h.store, put(key("a")));
  const update = (spec: number) => put(key("a"), { when: exists, content: { spec } });
  const [backend] = await h.sql(`SELECT pid FROM pg_stat_activity
    WHERE query LIKE 'SELECT create_v2%' AND state = 'idle'
    ORDER BY state_change DESC LIMIT 1`);
  const pid = Number(backend?.["pid"]);
  process.kill(pid, "SIGSTOP");
  try {
    assert.equal(await commit(h.store, update(1)), 2);
    await h.store.close();
    assert.equal(await commit(other, update(2)), 3);
  } finally {
    process.kill(pid, "SIGCONT");
  }
  await until(async () => {
    const alive = await h.sql(`SELECT FROM pg_stat_activity WHERE pid = ${pid}`);
    return alive.length === 0;
  });
  assert.equal((await other.get(key("a")))?.revision, 3);
});

test("a batch of a writer that is gone is refused; one that was swept goes on", async () => {
  await using h = await openForTest(server);
  await commit(h.store, put(key("a")));
  await h.sql(`DELETE FROM ${h.schema}.writer`);
  assert.equal(await commit(h.store, put(key("b"))), 2);
  const [writer] = await h.sql(`SELECT id FROM ${h.schema}.writer`);
  await h.store.close();
  const values = Array.from({ length: batchValueCount - 2 }, () => "'{}'").join(", ");
  for (const batch of [1, 2]) {
    const late = h.sql(`SELECT set_config('search_path', '${h.schema}', false),
      ${h.schema}.commit_v4('${String(writer?.["id"])}', ${batch}, 0, ${values}, NULL, '{}')`);
    await assert.rejects(late, { code: "SP002" });
  }
});

test("a batch that may be applied is not sent under another number", async () => {
  await using h = await openForTest(server);
  await commit(h.store, put(key("a")));
  const lock = `hashtextextended('${h.schema}', 7370002)`;
  const isWaiting = async (): Promise<readonly Record<string, unknown>[]> =>
    await h.sql("SELECT pid FROM pg_stat_activity WHERE wait_event = 'advisory'");
  const holder = new Client({ connectionString: h.url });
  await holder.connect();
  try {
    await holder.query(`SELECT pg_advisory_lock(${lock})`);
    const doubtful = rejectsWith("store.outcome_unknown", h.store.commit([put(key("b"))]));
    await until(async () => (await isWaiting()).length === 1);
    const [{ pid } = {}] = await isWaiting();
    await h.sql("SELECT pg_terminate_backend($1)", [pid]);
    await until(async () => (await isWaiting()).some((other) => other["pid"] !== pid));
    await h.sql(`DELETE FROM ${h.schema}.writer`);
    await holder.query(`SELECT pg_advisory_unlock(${lock})`);
    await doubtful;
  } finally {
    await holder.end();
  }
  assert.equal(await commit(h.store, put(key("c"))), 2);
});

test("writers and readers go through a restart of the server without an error", async () => {
  const own = await startPostgres();
  try {
    await using h = await openForTest(own, patient);
    const work = load(h.store, "n");
    await until(() => work.answers.size >= 100);
    await own.stop("immediate");
    const reading = h.store.get(key("n-0-0"));
    await own.start();
    const seen = work.answers.size;
    await until(() => work.answers.size >= seen + 100);
    const { answers, failures } = await work.stop();
    assert.deepEqual(failures, []);
    assert.equal((await reading)?.key.name, "n-0-0");
    await assertExact(h.store, answers);
  } finally {
    await own[Symbol.asyncDispose]();
  }
});

test("a server that stops to answer leads to typed errors in bounded time", async () => {
  const own = await startPostgres();
  try {
    await using h = await openForTest(own, { commitPatienceMs: 3_000, readPatienceMs: 3_000 });
    await commit(h.store, put(key("a")));
    await h.store.get(key("a"));
    own.pause();
    const write = h.store.commit([put(key("b"))]);
    const update = put(key("a"), { when: exists, content: { spec: 2 } });
    await Promise.all([
      rejectsWith("store.outcome_unknown", write),
      assert.rejects(h.store.commit([update]), (error) => isSetpointError(error)),
      rejectsWith("store.unavailable", h.store.get(key("a"))),
    ]);
    own.resume();
    await until(async () => {
      const tried = await Promise.allSettled([h.store.commit([put(key("c"))])]);
      return tried[0].status === "fulfilled";
    });
    assert.notEqual(await h.store.get(key("c")), undefined);
    assert.deepEqual(await h.store.verify(), []);
  } finally {
    own.resume();
    await own[Symbol.asyncDispose]();
  }
});

test("a server that is not there leads to a typed error in bounded time", async () => {
  const own = await startPostgres();
  try {
    const h = await openForTest(own, { commitPatienceMs: 2_000, readPatienceMs: 2_000 });
    await own.kill9();
    // What is sent before the end of a connection is seen would be of unknown outcome.
    await rejectsWith("store.unavailable", h.store.get(key("a")));
    await rejectsWith("store.unavailable", h.store.commit([put(key("a"))]));
    await h.store.close();
  } finally {
    await own[Symbol.asyncDispose]();
  }
});

test("while the database is known to be away, nobody waits long to be told", async () => {
  const own = await startPostgres();
  try {
    await using h = await openForTest(own, { commitPatienceMs: 4_000, readPatienceMs: 4_000 });
    await commit(h.store, put(key("a")));
    await own.kill9();
    await rejectsWith("store.unavailable", h.store.get(key("a")));
    const calls = [
      () => h.store.get(key("a")),
      () => h.store.list({ kind: widgets }),
      () => h.store.commit([put(key("b"))]),
      () => Promise.all(["a", "b", "c", "d"].map((name) => h.store.get(key(name)))),
    ];
    // The first of them may be the one that learns it.
    await rejectsWith("store.unavailable", h.store.commit([put(key("b"))]));
    for (const call of calls) {
      const startMs = performance.now();
      await rejectsWith("store.unavailable", call());
      const tookMs = performance.now() - startMs;
      assert.ok(tookMs < 2_000, `told after ${Math.round(tookMs)} ms`);
    }
    await own.start();
    await until(async () => {
      const [tried] = await Promise.allSettled([h.store.commit([put(key("c"))])]);
      return tried.status === "fulfilled";
    });
    assert.equal(
      (await h.store.get(key("b"))) === undefined,
      true,
      "what was refused is not there",
    );
  } finally {
    await own[Symbol.asyncDispose]();
  }
});

test("a login that is refused after the start is an absence, and ends with its cause", async () => {
  await using h = await openForTest(server);
  await h.sql("CREATE ROLE guest LOGIN SUPERUSER");
  const url = h.url.replace("postgres@", "guest@");
  assert.notEqual(url, h.url);
  await using store = await h.openAnother({ url });
  await commit(store, put(key("a")));
  await h.sql("ALTER ROLE guest NOLOGIN");
  await h.sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'guest'");
  await rejectsWith("store.unavailable", store.get(key("a")));
  await rejectsWith("store.unavailable", store.commit([put(key("b"))]));
  await rejectsWith("config.invalid", h.openAnother({ url }));
  await h.sql("ALTER ROLE guest LOGIN");
  assert.notEqual(await store.get(key("a")), undefined);
  assert.equal(await commit(store, put(key("b"))), 2);
});

test("a newer schema is refused unless it states that this release can use it", async () => {
  await using h = await openForTest(server);
  const insert = `INSERT INTO ${h.schema}.schema_version (version, compatible_from, name)`;
  await h.sql(`${insert} VALUES (900, 1, 'compatible')`);
  await using compatible = await h.openAnother();
  assert.equal(await commit(compatible, put(key("a"))), 1);
  await h.sql(`${insert} VALUES (901, 901, 'incompatible')`);
  await rejectsWith("store.schema_too_new", h.openAnother());
  await h.sql(`${insert} VALUES (902, 1, 'compatible by itself')`);
  await rejectsWith("store.schema_too_new", h.openAnother());
});

test("a process that runs stops when the schema becomes one it cannot work with", async () => {
  await using h = await openForTest(server);
  await commit(h.store, put(key("a")));
  const migrated = async (version: number, from: number) =>
    await h.sql(`INSERT INTO ${h.schema}.schema_version (version, compatible_from, name)
      VALUES (${version}, ${from}, 'x'); SELECT pg_notify('${h.schema}', 'schema')`);
  await migrated(900, 1);
  assert.equal(await commit(h.store, put(key("b"))), 2);
  await migrated(901, 901);
  await until(async () => {
    const [tried] = await Promise.allSettled([h.store.get(key("a"))]);
    return tried.status === "rejected" && hasCode("store.schema_too_new")(tried.reason);
  });
  await rejectsWith("store.schema_too_new", h.store.commit([put(key("c"))]));
  await rejectsWith("store.schema_too_new", h.store.list({ kind: widgets }));
});

test("a migration may wait and work longer than an everyday statement", async () => {
  await using h = await openForTest(server);
  const other = h.sql("SELECT pg_advisory_xact_lock(7370001); SELECT pg_sleep(4)");
  await until(async () => {
    const held = await h.sql(
      "SELECT FROM pg_locks WHERE locktype = 'advisory' AND objid = 7370001",
    );
    return held.length > 0;
  });
  const fresh = await h.openAnother({ schema: `${h.schema}_slow`, readPatienceMs: 3_000 });
  assert.equal(await commit(fresh, put(key("a"))), 1);
  await other;
});

test("a schema must have a plain name", async () => {
  await using h = await openForTest(server);
  for (const schema of ["", "A", "1a", "a b", 'a"b', "a,b", "ä", "a".repeat(52)]) {
    await rejectsWith("config.invalid", h.openAnother({ schema }));
  }
});

test("values that the database refuses fail their own write and not its neighbours", async () => {
  await using h = await openForTest(server);
  await h.sql(`CREATE FUNCTION ${h.schema}.judge() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      IF new.name = 'bad' THEN RAISE EXCEPTION 'bad' USING ERRCODE = '22003'; END IF;
      RETURN new; END $$;
    CREATE TRIGGER judge BEFORE INSERT ON ${h.schema}.change
    FOR EACH ROW EXECUTE FUNCTION ${h.schema}.judge()`);
  const answers = await h.store.commit(["a", "bad", "b"].map((name) => put(key(name))));
  assert.deepEqual(
    answers.map((answer) => answer.kind),
    ["committed", "refused", "committed"],
  );
  const alone = await Promise.allSettled(
    ["c", "bad", "d"].map((n) => commit(h.store, put(key(n)))),
  );
  assert.deepEqual(
    alone.map(({ status }) => status),
    ["fulfilled", "rejected", "fulfilled"],
  );
  assert.deepEqual(await h.store.verify(), []);
});

test("several processes that open an empty database at once agree on its schema", async () => {
  await using h = await openForTest(server);
  const schema = `${h.schema}_fresh`;
  const stores = await Promise.all([1, 2, 3].map(async () => await h.openAnother({ schema })));
  const answers = await Promise.all(stores.map((store, i) => commit(store, put(key(`n${i}`)))));
  assert.deepEqual(
    answers.toSorted((x, y) => x - y),
    [1, 2, 3],
  );
});

test("two processes under load see one order without gaps, each as it grows", async () => {
  await using h = await openForTest(server);
  const stores = [h.store, await h.openAnother()];
  const loads = stores.map((store, index) => load(store, `s${index}`));
  const orders = await Promise.all(
    stores.map(async (store) => {
      const seen: string[] = [];
      while (seen.length < 600) {
        await store.advancedBeyond(seen.length, soon());
        const page = await store.changes(seen.length);
        for (const change of page.changes) {
          assert.equal(change.revision, seen.push(change.key.name));
        }
      }
      return seen.slice(0, 600);
    }),
  );
  assert.deepEqual(orders[0], orders[1]);
  const answers = new Map<string, Answer>();
  for (const each of loads) for (const entry of (await each.stop()).answers) answers.set(...entry);
  await Promise.all(
    stores.map(async (store) => await store.advancedBeyond(answers.size - 1, soon())),
  );
  for (const store of stores) await assertExact(store, answers);
});

test("a read is never older than what nobody here has heard of yet", async () => {
  await using h = await openForTest(server);
  const keys = Array.from({ length: 12 }, (_, index) => key(`m-${index}`));
  await h.store.commit(keys.map((of) => put(of)));
  const readAll = async () =>
    await Promise.all(keys.map(async (of) => (await h.store.get(of))?.revision));
  const former = await readAll();
  // As a commit of another process leaves it, but without a word to the listeners.
  await h.sql(`SET search_path = ${h.schema};
    INSERT INTO change (revision, previous, at_ms, type, kind, namespace, name, uid, terms, digest,
        document)
      SELECT 12 + o.i, c.revision, c.at_ms, o.type, c.kind, c.namespace, c.name, c.uid, c.terms,
        c.digest, c.document
      FROM (VALUES (1, 2, 'm-10'), (2, 3, 'm-11')) AS o(i, type, name) JOIN change c USING (name);
    UPDATE resource SET revision = 13 WHERE name = 'm-10';
    DELETE FROM resource WHERE name = 'm-11';
    UPDATE head SET revision = 14`);
  assert.deepEqual(await readAll(), [...former.slice(0, 10), 13, undefined]);
});

test("work in one process wakes another that lost its connection in between", async () => {
  await using h = await openForTest(server);
  const other = await h.openAnother();
  await endConnections(h);
  await commit(h.store, put(key("a"), { due: wake() }));
  await other.advancedBeyond(0, soon());
  const tick = other.workTick();
  const woken = other.workArrived(tick, soon());
  await commit(h.store, put(key("b"), { due: wake() }));
  assert((await woken) > tick);
  const request = { owner: "w", kinds: [widgets], limit: 10, leaseMs: 60_000 };
  const [here, there] = await Promise.all([h.store.claim(request), other.claim(request)]);
  const names = [...here, ...there].map((claim) => claim.key.name);
  assert.deepEqual(names.toSorted(), ["a", "b"]);
});

test("a deletion whose secrets cannot be opened is answered as committed", async () => {
  await using h = await openForTest(server);
  await commit(h.store, put(key("a"), { content: { secrets: { word: "x" } } }));
  await h.reopen({ keys: [newSealKey()] });
  assert.equal(await commit(h.store, del(key("a"))), 2);
  assert.equal(await commit(h.store, put(key("b"))), 3);
});

test("a read-only store reads, and refuses to write or to make a schema", async () => {
  await using h = await openForTest(server);
  await commit(h.store, put(key("a")));
  const reader = await h.openAnother({ readOnly: true });
  assert.equal((await reader.get(key("a")))?.revision, 1);
  await rejectsWith("store.read_only", reader.commit([put(key("b"))]));
  const nowhere = h.openAnother({ readOnly: true, schema: "nowhere" });
  await assert.rejects(nowhere, hasCode("store.read_only"));
});

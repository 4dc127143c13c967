/**
 * Batches of nothing but creations, which the database takes as they are (0011_create.sql): what it
 * cannot take is judged write by write, and answered as if it had been from the beginning.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { parseSelector } from "../../src/kernel/selector.ts";
import {
  changesAfter,
  claimSome,
  commit,
  del,
  key,
  listNames,
  minuteMs,
  outcomes,
  put,
  wake,
  widgets,
} from "../../src/store/contract/samples.ts";
import type { UniqueName } from "../../src/store/port.ts";
import { creationValueCount } from "../../src/store/postgres/creations.ts";
import { startPostgres } from "../peers/postgres.ts";
import type { Postgres } from "../peers/postgres.ts";
import { openForTest } from "./postgres-for-test.ts";
import type { PostgresHarness } from "./postgres-for-test.ts";

let server: Postgres;

before(async () => {
  server = await startPostgres({ settings: { track_functions: "all" } });
});
after(async () => {
  await server[Symbol.asyncDispose]();
});

const path: UniqueName = { scope: "paths", name: "/a" };

/** How often each function was called. */
async function calls(h: PostgresHarness): Promise<Readonly<Record<string, number>>> {
  const rows = await h.sql(
    `SELECT f.funcname, f.calls FROM pg_stat_force_next_flush(), pg_stat_user_functions f
      WHERE f.schemaname = '${h.schema}' AND f.funcname IN ('create_v2', 'commit_v4')`,
  );
  return Object.fromEntries(rows.map((row) => [String(row["funcname"]), Number(row["calls"])]));
}

async function settled(h: PostgresHarness): Promise<void> {
  // A session tells its counts when it has nothing to do, at most once a second.
  await h.reopen();
}

test("creations are written at once, with all that belongs to them", async () => {
  await using h = await openForTest(server);
  const labels = { app: "web" };
  const writes = [
    put(key("a"), { names: [path], due: wake(), content: { labels } }),
    put(key("b"), { due: wake(minuteMs) }),
    put(key("c")),
  ];
  const answers = await outcomes(h.store.commit(writes, { atomic: true }));
  assert.deepEqual(answers, ["committed", "committed", "committed"]);
  assert.deepEqual(await h.store.nameHolder(path), key("a"));
  assert.deepEqual(await listNames(h.store, { kind: widgets, labels: parseSelector("app=web") }), [
    "a",
  ]);
  const changes = await changesAfter(h.store, 0);
  assert.deepEqual(
    changes.map(({ type, revision, key: { name } }) => `${type} ${name} ${revision}`),
    ["created a 1", "created b 2", "created c 3"],
  );
  const due = (await claimSome(h.store)).map((claim) => claim.key.name);
  assert.deepEqual(due, ["a"]);
  assert.deepEqual(await h.store.verify(), []);
  await settled(h);
  assert.deepEqual(await calls(h), { create_v2: 1 });
});

test("where one is refused, each is answered as if it had come alone", async () => {
  await using h = await openForTest(server);
  await commit(h.store, put(key("held"), { names: [path] }));
  const writes = [
    put(key("a")),
    put(key("held")),
    put(key("b"), { names: [path] }),
    put(key("c"), { due: wake() }),
  ];
  const answers = await outcomes(h.store.commit(writes));
  assert.deepEqual(answers, ["committed", "resource.already_exists", "name.taken", "committed"]);
  const names = (await changesAfter(h.store, 0)).map((change) => change.key.name);
  assert.deepEqual(names, ["held", "a", "c"]);
  const atomic = await outcomes(h.store.commit([put(key("d")), put(key("c"))], { atomic: true }));
  assert.deepEqual(atomic, ["resource.group_refused", "resource.already_exists"]);
  assert.equal((await h.store.head()).revision, 3);
  assert.deepEqual(await h.store.verify(), []);
});

test("who was refused is judged write by write for a while", async () => {
  await using h = await openForTest(server);
  await commit(h.store, put(key("a")));
  await outcomes(h.store.commit([put(key("a"))]));
  for (let index = 0; index < 40; index += 1) await commit(h.store, put(key(`b${index}`)));
  await settled(h);
  assert.deepEqual(await calls(h), { create_v2: 2 + 8, commit_v4: 1 + 32 });
});

test("a batch that was refused does nothing when a copy of it arrives late", async () => {
  await using h = await openForTest(server);
  await commit(h.store, put(key("a")));
  const [writer] = await h.sql(`SELECT id, batch FROM ${h.schema}.writer`);
  const next = Number(writer?.["batch"]) + 1;
  const send = async (batch: number) => {
    const [row] = await h.sql(
      `SELECT set_config('search_path', '${h.schema}', false), ${h.schema}.create_v2(
        '${String(writer?.["id"])}', ${batch}, 0, '{${widgets}}', '{team}', '{a}', '{u}',
        '{x}', '{1}', '{x}', '{"{}"}', '{}', '{}', '{}', '{}', '{}', '{}') AS answer`,
    );
    return row?.["answer"];
  };
  assert.equal(creationValueCount, 14, "the call above is one of this release");
  assert.equal(await send(next), null);
  const other = await h.openAnother();
  await commit(other, del(key("a")));
  assert.equal(await send(next), null, "a late copy is answered as the first was");
  assert.equal(await h.store.get(key("a")), undefined);
  assert.equal((await other.head()).revision, 2);
  assert.notEqual(await send(next + 1), null, "the next one is judged anew");
});

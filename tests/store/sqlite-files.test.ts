// Files: who may open one, which ones are refused, and what happens when a disk is full, a file is
// damaged or the writer's thread dies. Each refusal is a typed error that names the file.
import assert from "node:assert/strict";
import { chmodSync, copyFileSync, existsSync, linkSync, rmSync, statSync } from "node:fs";
import { symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { systemClock } from "../../src/kernel/clock.ts";
import { isSetpointError } from "../../src/kernel/errors.ts";
import type { ErrorCode } from "../../src/kernel/errors.ts";
import {
  absent,
  at,
  claimOne,
  commit,
  del,
  exists,
  key,
  outcomes,
} from "../../src/store/contract/samples.ts";
import {
  claimSome,
  minuteMs,
  put,
  refusal,
  rejectsWith,
  schedule,
  wake,
} from "../../src/store/contract/samples.ts";
import { allRows, someone, widgets } from "../../src/store/contract/samples.ts";
import { keyRing, newSealKey } from "../../src/store/key-ring.ts";
import type { Store, Write } from "../../src/store/port.ts";
import { prepareCommit } from "../../src/store/prepare.ts";
import { batchOf } from "../../src/store/sqlite/batch.ts";
import { databaseClock } from "../../src/store/sqlite/clock.ts";
import { Core } from "../../src/store/sqlite/core.ts";
import { temporaryFolder } from "../../src/store/sqlite/harness.ts";
import type { SqliteOptions } from "../../src/store/sqlite/open.ts";
import { openConnection, prepareFile } from "../../src/store/sqlite/schema.ts";
import { storeError } from "../../src/store/sqlite/sql.ts";
import { openSqliteStore } from "../../src/store/sqlite/store.ts";

const keys = [newSealKey()];

/** The rejection must have the code and name the path. */
async function refuses(
  code: ErrorCode,
  path: string,
  options: Partial<SqliteOptions> = {},
): Promise<void> {
  const opening = openSqliteStore({ path, keys, inline: true, ...options });
  await assert.rejects(opening, (error) => {
    assert(isSetpointError(error, code), String(error));
    assert(error.message.includes(path), error.message);
    return true;
  });
}

test("a second opener is told that the file is locked, through links too", async () => {
  using folder = temporaryFolder();
  const path = join(folder.path, "store.db");
  await using store = await openSqliteStore({ path, keys, inline: true });
  await refuses("store.locked", path);
  const link = join(folder.path, "link.db");
  symlinkSync(path, link);
  const opening = openSqliteStore({ path: link, keys });
  await rejectsWith("store.locked", opening);
  await store.close();
  await using again = await openSqliteStore({ path: link, keys, inline: true });
  assert.equal(await commit(again, put(key("a"))), 1);
});

test("a file with two names is not written to, since the lock goes by the name", async () => {
  using folder = temporaryFolder();
  const path = join(folder.path, "store.db");
  const other = join(folder.path, "other.db");
  await (await openSqliteStore({ path, keys, inline: true })).close();
  linkSync(path, other);
  for (const inline of [true, false]) {
    await refuses("store.linked", path, { inline });
    await refuses("store.linked", other, { inline });
  }
  rmSync(other);
  await using store = await openSqliteStore({ path, keys });
  assert.equal(await commit(store, put(key("a"))), 1);
  // Who comes by a name that was given meanwhile is refused as well.
  linkSync(path, other);
  await refuses("store.linked", other);
  assert.equal(await commit(store, put(key("b"))), 2);
});

test("nobody writes without a lock that can be taken", async () => {
  using folder = temporaryFolder();
  const path = join(folder.path, "store.db");
  await (await openSqliteStore({ path, keys, inline: true })).close();
  chmodSync(`${path}.lock`, 0o444);
  chmodSync(folder.path, 0o777);
  for (const end of ["", "-wal", "-shm"]) if (existsSync(path + end)) chmodSync(path + end, 0o666);
  // Whoever may write to everything is made somebody who may not.
  const isRoot = process.geteuid?.() === 0;
  if (isRoot) process.seteuid?.(65_534);
  try {
    await refuses("store.read_only", path);
  } finally {
    if (isRoot) process.seteuid?.(0);
  }
});

test("a writer that others have written behind is stopped, and writes over nothing", () => {
  using folder = temporaryFolder();
  const path = join(folder.path, "store.db");
  const connect = (): DatabaseSync => {
    const db = openConnection(path, "writer");
    prepareFile(db, path, systemClock);
    return db;
  };
  const open = () => new Core({ path, clock: databaseClock(systemClock), connect });
  const [one, other] = [open(), open()];
  const batch = (write: Write) => batchOf(prepareCommit(keyRing(keys), [write]));
  one.commit(1, batch(put(key("a"))));
  const isStopped = (error: unknown): boolean => isSetpointError(error, "store.locked");
  assert.throws(() => other.commit(1, batch(schedule(key("a"), wake()))), isStopped);
  const claim = { owner: "w", kinds: [widgets], limit: 10, leaseMs: minuteMs };
  one.claim(claim);
  assert.throws(() => other.claim(claim), isStopped);
  assert.equal(one.state().revision, 1);
  one.close();
  other.close();
});

test("a reader beside the writer sees its commits and may not write", async () => {
  using folder = temporaryFolder();
  const path = join(folder.path, "store.db");
  await using store = await openSqliteStore({ path, keys, inline: true });
  await using reader = await openSqliteStore({ path, keys, readOnly: true });
  const waiting = reader.advancedBeyond(0);
  await commit(store, put(key("a")));
  assert.equal(await waiting, 1);
  assert.equal((await reader.get(key("a")))?.revision, 1);
  assert.deepEqual((await reader.changes(0)).changes, (await store.changes(0)).changes);
  await rejectsWith("store.read_only", reader.commit([put(key("b"))]));
  await rejectsWith("store.read_only", reader.compact(1));
  await rejectsWith("store.read_only", reader.reseal());
  const claim = { owner: "w", kinds: ["widgets.test"], limit: 1, leaseMs: 1 };
  await rejectsWith("store.read_only", reader.claim(claim));
  assert.deepEqual(await reader.verify(), []);
});

test("a file of another application, or no database at all, is refused and kept", async () => {
  using folder = temporaryFolder();
  const foreign = join(folder.path, "foreign.db");
  const db = new DatabaseSync(foreign);
  db.exec("CREATE TABLE other (x)");
  db.close();
  await refuses("config.invalid", foreign);
  const text = join(folder.path, "text.db");
  writeFileSync(text, "no database ".repeat(1_000));
  await refuses("store.corrupt", text);
  await refuses("store.missing", join(folder.path, "missing.db"), { readOnly: true });
  await refuses("store.missing", join(folder.path, "none", "x.db"), { readOnly: true });
  const empty = join(folder.path, "empty.db");
  writeFileSync(empty, "");
  await refuses("store.missing", empty, { readOnly: true });
});

test("a newer schema is refused only when it says that it cannot be used", async () => {
  using folder = temporaryFolder();
  const path = join(folder.path, "store.db");
  const migrateTo = (version: number, compatibleFrom: number) => {
    const db = new DatabaseSync(path);
    const insert = "INSERT INTO setpoint_schema VALUES (?, ?, 'later', '2030-01-01T00:00:00Z')";
    db.prepare(insert).run(version, compatibleFrom);
    db.close();
  };
  await (await openSqliteStore({ path, keys, inline: true })).close();
  migrateTo(1_000, 1);
  await using store = await openSqliteStore({ path, keys, inline: true });
  assert.equal((await store.stats()).schemaVersion, 1_000);
  await store.close();
  migrateTo(1_001, 1_001);
  await refuses("store.schema_too_new", path);
  await refuses("store.schema_too_new", path, { readOnly: true });
  migrateTo(1_002, 1);
  await refuses("store.schema_too_new", path);
});

test("a database of the first schema is taken over with its claims", async () => {
  using folder = temporaryFolder();
  const options = { path: join(folder.path, "store.db"), keys, inline: true };
  const before = await openSqliteStore(options);
  for (const name of ["short", "long"]) await commit(before, put(key(name), { due: wake() }));
  const short = await claimOne(before, { limit: 1, leaseMs: minuteMs });
  const long = await claimOne(before, { limit: 1, leaseMs: 60 * minuteMs });
  await commit(before, put(key("waits"), { due: wake(2 * minuteMs) }));
  await before.close();
  const db = new DatabaseSync(options.path);
  const added = ["role", "epoch", "primary_name", "held", "ships_from"];
  const triggers = ["name_taken", "name_left", "use_set", "use_left", "bound_set", "bound_left"];
  for (const name of triggers) db.exec(`DROP TRIGGER ${name}`);
  for (const name of added) db.exec(`ALTER TABLE head DROP COLUMN ${name}`);
  db.exec(`DELETE FROM setpoint_schema WHERE version > 1; ALTER TABLE change DROP COLUMN cause;
    DROP TABLE held; DROP TABLE not_primary;
    DROP INDEX due_by_time; DROP INDEX due_by_namespace; DROP INDEX due_claimed;
    CREATE INDEX due_by_time ON due (kind, due_at) WHERE due_at IS NOT NULL;
    CREATE INDEX due_by_namespace ON due (kind, namespace, due_at) WHERE due_at IS NOT NULL`);
  db.close();

  const reader = await openSqliteStore({ ...options, readOnly: true });
  assert.equal((await reader.backlog({ kind: widgets })).next.length, 3);
  assert((await reader.nextDue([widgets])) !== undefined);
  assert.deepEqual(
    (await reader.changes(0)).changes.map(({ cause }) => cause),
    [undefined, undefined, undefined],
  );
  assert((await allRows(reader)).every((row) => !("cause" in row)));
  await reader.close();
  await using store = await openSqliteStore(options);
  assert.equal((await store.history(short.key))[0]?.cause, undefined);
  assert.deepEqual(await store.verify(), []);
  assert.deepEqual(await claimSome(store), [], "all is claimed or waits");
  await store.testing.advanceClock(3 * minuteMs);
  const claimed = (await claimSome(store)).map((claim) => claim.key.name);
  assert.deepEqual(claimed.toSorted(), [short.key.name, "waits"].toSorted());
  await commit(store, put(long.key, { when: exists, content: { spec: 2 }, claim: long }));
  assert.deepEqual((await store.history(long.key))[0]?.cause, someone);
});

for (const inline of [true, false]) {
  const where = inline ? "on the caller's thread" : "in threads";
  test(`who opens the store may end the claims of who had it before, ${where}`, async () => {
    using folder = temporaryFolder();
    const options = { path: join(folder.path, "store.db"), keys, inline };
    const [held, later] = [key("held"), key("later")];
    const first = await openSqliteStore(options);
    await commit(first, put(held, { due: wake() }));
    await commit(first, put(later, { due: wake(60 * minuteMs) }));
    const lost = await claimOne(first, { leaseMs: 60 * minuteMs });
    await first.close();

    const kept = await openSqliteStore(options);
    assert.deepEqual(await claimSome(kept), [], "nobody said that its holder is gone");
    await kept.close();

    await using freed = await openSqliteStore({ ...options, freesClaims: true });
    const fenced = put(held, { when: exists, claim: lost });
    assert.equal(await refusal(freed, fenced), "claim.lost");
    const taken = await claimOne(freed);
    assert.deepEqual(taken.key, held, "what nobody held is as far away as before");
    assert(taken.token > lost.token);
    assert.equal(taken.attempts, 2, "it is known that its first holder said nothing");
    assert.deepEqual(await freed.verify(), []);
  });
}

test("no token is given twice, whatever a machine that lost its power forgot", async () => {
  using folder = temporaryFolder();
  const [path, lost] = [join(folder.path, "store.db"), join(folder.path, "lost.db")];
  const store = await openSqliteStore({ path, keys, inline: true });
  for (const name of ["a", "b"]) await commit(store, put(key(name), { due: wake() }));
  const [first] = await claimSome(store, { limit: 1 });
  // The disk has at least what the first claim has flushed.
  for (const end of ["", "-wal"]) copyFileSync(`${path}${end}`, `${lost}${end}`);
  const [second] = await claimSome(store, { limit: 1 });
  await store.close();
  assert(first !== undefined && second !== undefined && second.token > first.token);

  await using later = await openSqliteStore({ path: lost, keys, inline: true, freesClaims: true });
  const again = await claimSome(later);
  assert.equal(again.length, 2, "who held them is gone");
  for (const { token } of again) assert(token > second.token, `${token} after ${second.token}`);
});

test("only claims and renewals are not waited for until they are on the disk", () => {
  using folder = temporaryFolder();
  const path = join(folder.path, "store.db");
  const connect = (): DatabaseSync => {
    const db = openConnection(path, "writer");
    prepareFile(db, path, systemClock);
    return db;
  };
  const core = new Core({ path, clock: databaseClock(systemClock), connect });
  const isFlushing = (): boolean => JSON.stringify(core.pragma("synchronous")).includes("2");
  const claim = { owner: "w", kinds: [widgets], limit: 10, leaseMs: minuteMs };
  core.claim(claim);
  assert(isFlushing(), "it reserved tokens");
  core.claim(claim);
  assert(!isFlushing());
  core.commit(1, []);
  assert(isFlushing());
  core.renew([], minuteMs);
  assert(!isFlushing());
  core.compactSlice();
  assert(isFlushing());
  core.renew([], minuteMs);
  core.loadBegin();
  assert(isFlushing(), "a restore is flushed as a whole");
  core.close();
});

test("a full disk refuses the commit, and the next one succeeds when there is room", async () => {
  using folder = temporaryFolder();
  const path = join(folder.path, "store.db");
  await using store = await openSqliteStore({ path, keys, inline: true });
  await commit(store, put(key("a")));
  await store.testing.pragma("max_page_count = 20");
  const large = put(key("b"), { content: { spec: "x".repeat(200_000) } });
  await rejectsWith("store.full", store.commit([large]));
  assert.deepEqual(await store.head(), { revision: 1, compacted: 0 });
  await store.testing.pragma("max_page_count = 1000000");
  assert.equal(await commit(store, large), 2);
  assert.deepEqual(await store.verify(), []);
});

test("a compaction that was cut off goes on in the next life of the store", async () => {
  using folder = temporaryFolder();
  const path = join(folder.path, "store.db");
  const first = await openSqliteStore({ path, keys, inline: true });
  await commit(first, put(key("a")));
  for (let spec = 1; spec <= 9; spec += 1) {
    await commit(first, put(key("a"), { when: at(spec), content: { spec } }));
  }
  await first.close();
  const db = new DatabaseSync(path);
  db.exec("UPDATE head SET compacted = 8, compacting = 3");
  db.exec("DELETE FROM change WHERE revision < 3");
  db.close();
  await using store = await openSqliteStore({ path, keys, inline: true });
  assert.deepEqual(await store.verify(), []);
  await rejectsWith("history.gone", store.changes(7));
  const dumped = await Array.fromAsync(store.dump());
  assert.deepEqual(
    dumped.flatMap((row) => (row.row === "change" ? [row.revision] : [])),
    [8, 9, 10],
  );
  assert.deepEqual(await store.compact(8), { compacted: 8, removed: 5 });
  assert.equal((await store.stats()).changes, 3);
});

test("verify finds what somebody changed behind the store's back", async () => {
  const damages = [
    "DELETE FROM change WHERE revision = 2",
    "UPDATE change SET document = replace(document, 'Sample', 'Simple') WHERE revision = 1",
    "UPDATE resource SET revision = 1 WHERE name = 'b'",
    "DELETE FROM resource WHERE name = 'a'",
    "DELETE FROM term",
    "INSERT INTO term VALUES ('widgets.test', 'l:x=y', 'team', 'a')",
    "UPDATE counter SET value = value + 1",
    "UPDATE counter_use SET holder_name = 'nobody'",
    "UPDATE unique_name SET holder_name = 'nobody'",
    "UPDATE due SET name = 'nobody'",
    "UPDATE due SET token = 99",
    "UPDATE head SET revision = 9",
    "UPDATE change SET previous = 1 WHERE revision = 2",
  ];
  for (const damage of damages) {
    using folder = temporaryFolder();
    const path = join(folder.path, "store.db");
    const store = await openSqliteStore({ path, keys, inline: true });
    const held = { names: [{ scope: "s", name: "n" }], uses: [{ counter: "c", amount: 1 }] };
    await commit(store, put(key("a"), { content: { labels: { app: "x" } }, ...held }));
    await commit(store, put(key("b"), { due: wake() }));
    assert.deepEqual(await store.verify(), []);
    await store.close();
    const db = new DatabaseSync(path);
    db.exec(damage);
    db.close();
    await using damaged = await openSqliteStore({ path, keys, readOnly: true });
    assert.notDeepEqual(await damaged.verify({ limit: 3 }), [], damage);
  }
});

test("a writer's thread that dies is replaced, and every call is answered", async () => {
  using folder = temporaryFolder();
  await using store = await openSqliteStore({ path: join(folder.path, "store.db"), keys });
  await commit(store, put(key("a"), { due: wake() }));
  const crash = assert.rejects(store.testing.crashWriter());
  const calls = [commit(store, put(key("b"))), commit(store, put(key("c"))), claimOne(store)];
  const settled = await Promise.allSettled(calls);
  await crash;
  for (const [index, call] of settled.entries()) {
    if (call.status === "fulfilled") continue;
    // A commit is looked up, so its error is exact; a claim that may have happened says so.
    const code = index < 2 ? "store.unavailable" : "store.outcome_unknown";
    assert(isSetpointError(call.reason, code), String(call.reason));
  }
  const { revision } = await store.head();
  assert.equal(await commit(store, put(key("d"))), revision + 1);
  const changes = await revisions(store);
  assert.deepEqual(
    changes,
    changes.map((_, index) => index + 1),
  );
  assert.deepEqual(await store.verify(), []);
});

async function revisions(store: Store): Promise<readonly number[]> {
  return (await store.changes(0)).changes.map((change) => change.revision);
}

test("the log is kept below its cap while writers never pause", async () => {
  using folder = temporaryFolder();
  const path = join(folder.path, "store.db");
  const walLimits = { wakeBytes: 65_536, capBytes: 524_288 };
  await using store = await openSqliteStore({ path, keys, testing: { walLimits } });
  const content = { spec: "x".repeat(20_000) };
  let largest = 0;
  for (let round = 0; round < 40; round += 1) {
    const writes = Array.from({ length: 5 }, (_, i) => put(key(`r${round}-${i}`), { content }));
    await store.commit(writes);
    largest = Math.max(largest, statSync(`${path}-wal`).size);
  }
  assert(largest > 262_144, `the log was used: ${largest}`);
  // Of 5 MB; where the threads hardly get their turns it is emptied late.
  assert(largest < 5 * walLimits.capBytes, `the log grew to ${largest}`);
  assert(statSync(path).size > 2_000_000, "what left the log is in the file");
});

test("renewals count for the log as well", async () => {
  using folder = temporaryFolder();
  const path = join(folder.path, "store.db");
  const walLimits = { wakeBytes: 65_536, capBytes: 524_288 };
  await using store = await openSqliteStore({ path, keys, testing: { walLimits } });
  await store.commit(Array.from({ length: 500 }, (_, i) => put(key(`r${i}`), { due: wake() })));
  const claims = await claimSome(store, { limit: 500 });
  assert.equal(claims.length, 500);
  let largest = 0;
  for (let round = 0; round < 200; round += 1) {
    await store.renew(claims, minuteMs + round);
    largest = Math.max(largest, statSync(`${path}-wal`).size);
  }
  // Of 10 MB.
  assert(largest < 5 * walLimits.capBytes, `the log grew to ${largest}`);
});

test("what nobody foresaw is an internal error that keeps its cause", () => {
  const cause = new TypeError("odd");
  const error = storeError(cause, "a.db");
  assert.equal(error.code, "internal");
  assert.equal(error.cause, cause);
  assert.equal(storeError(error, "a.db"), error);
});

test("a large call that fills the disk halfway says what was stored", async () => {
  using folder = temporaryFolder();
  await using store = await openSqliteStore({ path: join(folder.path, "store.db"), keys });
  await store.testing.pragma("max_page_count = 600");
  const content = { spec: "x".repeat(8_000) };
  const writes = Array.from({ length: 600 }, (_, index) => put(key(`n${index}`), { content }));
  const given = await outcomes(store.commit(writes));
  const { remaining } = await store.list({ kind: "widgets.test", limit: 1, countRemaining: true });
  assert.equal(given.filter((each) => each === "committed").length, 1 + (remaining ?? 0));
  assert.deepEqual(new Set(given), new Set(["committed", "store.full"]));
});

test("a deletion of what cannot be opened is answered as what it is: committed", async () => {
  using folder = temporaryFolder();
  const path = join(folder.path, "store.db");
  {
    await using store = await openSqliteStore({ path, keys, inline: true });
    await commit(store, put(key("a"), { content: { secrets: { p: "x" } } }));
  }
  await using other = await openSqliteStore({ path, keys: [newSealKey()], inline: true });
  assert.equal(await commit(other, del(key("a"))), 2);
  assert.equal(await commit(other, put(key("a"))), 3);
  assert.equal((await other.changes(2)).changes.length, 1);
  const { changes } = await other.changes(1);
  assert.equal(changes[0]?.unopened?.code, "secret.key_missing");
});

test("a read is never older than what a list of the file has shown", async () => {
  using folder = temporaryFolder();
  await using store = await openSqliteStore({ path: join(folder.path, "store.db"), keys });
  const a = key("a");
  for (let spec = 1; spec <= 20; spec += 1) {
    const when = spec === 1 ? absent : exists;
    const pending = store.commit([put(a, { when, content: { spec } })]);
    // No turn of the event loop: the answer of the writer waits, while its file goes ahead.
    let listed = 0;
    do {
      await Promise.resolve();
      const { records } = await store.list({ kind: a.kind });
      listed = records[0]?.revision ?? 0;
    } while (listed < spec);
    assert.equal((await store.get(a))?.revision, spec);
    await pending;
    assert.equal((await store.get(a))?.revision, spec);
  }
});

test("a batch whose outcome was lost with its thread is read from the file", async () => {
  using folder = temporaryFolder();
  await using store = await openSqliteStore({ path: join(folder.path, "store.db"), keys });
  const a = key("a");
  await store.commit([put(a, { content: { spec: 1 } })]);
  const crash = store.testing.crashWriter().catch(() => undefined);
  const answers = await store
    .commit([put(a, { when: exists, content: { spec: 2 } })])
    .catch(() => undefined);
  await crash;
  const { records } = await store.list({ kind: a.kind });
  assert.equal((await store.get(a))?.revision, records[0]?.revision);
  assert.equal(records[0]?.revision, answers === undefined ? 1 : 2);
});

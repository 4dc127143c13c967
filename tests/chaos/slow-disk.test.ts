// A disk that stands still, and a server that does: writes queue up to their limit, further ones
// are refused at once with store.overloaded, memory stays bounded, and when the disk moves again
// all that was accepted is answered and there. The disk is frozen by the kernel (see disk.ts),
// which is as slow as a disk gets; the server is stopped with SIGSTOP. An answer that comes while
// the disk stands still was given before the flush, whatever a crash would have shown.
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import type { Store } from "../../src/store/port.ts";
import { startPostgres } from "../peers/postgres.ts";
import { waitUntil } from "../peers/wait.ts";
import { Puts } from "./acknowledged.ts";
import { openDisk, startPostgresOn } from "./disk.ts";
import { openTarget, sqliteTarget } from "./target.ts";

const maxQueuedWrites = 64;
const callers = 2_000;
/** Longer than anything stands still here, also on a busy machine. */
const patienceMs = 60_000;

/** Many callers while nothing moves: the queue fills, and the others are refused at once. */
async function checkOverload(store: Store, stall: () => void, go: () => void): Promise<void> {
  const puts = new Puts();
  for (let i = 0; i < 5; i += 1) assert.equal(await puts.put(store), "committed");
  const rssBefore = process.memoryUsage().rss;
  let refused = 0;
  let answering: Promise<readonly string[]>;
  stall();
  try {
    answering = Promise.all(
      Array.from({ length: callers }, async () => {
        const code = await puts.put(store, 4_000);
        if (code === "store.overloaded") refused += 1;
        return code;
      }),
    );
    await waitUntil("refusals", () => refused >= callers - maxQueuedWrites);
    await delay(200); // Long enough for an answer that does not wait for the disk.
    assert.equal(puts.acknowledged.size, 5, "nothing was answered while nothing was written");
    assert.equal(refused, callers - maxQueuedWrites, "the queue has exactly its size");
    const grownMb = (process.memoryUsage().rss - rssBefore) / 1_048_576;
    assert.ok(grownMb < 200, `memory grew by ${Math.round(grownMb)} MB`);
  } finally {
    go();
  }
  const answers = await answering;
  assert.equal(answers.filter((code) => code === "committed").length, maxQueuedWrites);
  assert.deepEqual(puts.codes, ["store.overloaded"]);
  const { queuedWrites, queuedBytes } = await store.stats();
  assert.deepEqual({ queuedWrites, queuedBytes }, { queuedWrites: 0, queuedBytes: 0 });
  assert.equal(await puts.put(store), "committed", "and it goes on");
  await puts.check(store);
}

test("SQLite on a disk that stands still refuses what does not fit, and goes on", async (t) => {
  const tell = (why: string): void => t.diagnostic(`NOT TESTED: frozen disk: ${why}`);
  await using disk = await openDisk(64, tell);
  if (disk === undefined) return;
  const target = sqliteTarget(join(disk.path, "store.db"));
  await using store = await openTarget(target, { maxQueuedWrites });
  let thaw = (): void => undefined;
  await checkOverload(
    store,
    () => (thaw = disk.freezeUntil()),
    () => thaw(),
  );
});

test("SQLite that gets more than it can write refuses it, and answers what it took", async () => {
  const folder = await mkdtemp(join(tmpdir(), "setpoint-slow-"));
  try {
    await using store = await openTarget(sqliteTarget(join(folder, "store.db")), {
      maxQueuedWrites,
    });
    const puts = new Puts();
    const answers = await Promise.all(
      Array.from({ length: callers }, async () => await puts.put(store, 4_000)),
    );
    // All in one turn: the queue cannot have been emptied meanwhile.
    assert.equal(answers.filter((code) => code === "committed").length, maxQueuedWrites);
    assert.deepEqual(puts.codes, ["store.overloaded"]);
    await puts.check(store);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

test("PostgreSQL that stands still refuses what does not fit, and answers the rest", async () => {
  await using server = await startPostgres();
  const target = server.url(await server.createDatabase());
  await using store = await openTarget(target, { maxQueuedWrites, patienceMs });
  await checkOverload(
    store,
    () => server.pause(),
    () => server.resume(),
  );
});

test("PostgreSQL on a disk that stands still answers nothing before it moves", async (t) => {
  const tell = (why: string): void => t.diagnostic(`NOT TESTED: frozen disk: ${why}`);
  await using disk = await openDisk(256, tell);
  if (disk === undefined) return;
  await using server = await startPostgresOn(disk);
  const target = server.url(await server.createDatabase());
  await using store = await openTarget(target, { maxQueuedWrites, patienceMs });
  let thaw = (): void => undefined;
  await checkOverload(
    store,
    () => (thaw = disk.freezeUntil()),
    () => thaw(),
  );
});

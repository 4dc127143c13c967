// A disk that takes what is written and fails to flush it (see thin-disk.ts). The frames of a
// commit that failed lie complete in the log by then, so a crash could bring to life what its
// caller was told is not there.
import assert from "node:assert/strict";
import { copyFile, mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import type { TestContext } from "node:test";
import type { Store } from "../../src/store/port.ts";
import { openSqliteStore } from "../../src/store/sqlite/store.ts";
import { waitUntil } from "../peers/wait.ts";
import { Puts } from "./acknowledged.ts";
import { chaosKey } from "./documents.ts";
import { codeOf } from "./evidence.ts";
import { chaosKeys, openTarget, sqliteTarget } from "./target.ts";
import { openThinDisk } from "./thin-disk.ts";

const large = 1_500_000;

function untested(t: TestContext): (why: string) => void {
  return (why) => t.diagnostic(`NOT TESTED: failing flush: ${why}`);
}

test("what a flush failed for is refused, and does not come to life in a crash", async (t) => {
  await using disk = await openThinDisk(24, untested(t));
  if (disk === undefined) return;
  const path = join(disk.path, "store.db");
  const puts = new Puts();
  await using store = await openSqliteStore({ path, keys: chaosKeys });
  for (let i = 0; i < 20; i += 1) assert.equal(await puts.put(store), "committed");
  disk.leave(600_000);
  for (let i = 0; puts.codes.length === 0 && i < 10; i += 1) await puts.put(store, large);
  assert.ok(puts.codes.length > 0, "the disk has failed");
  await puts.check(await afterCrash(t, path));
  disk.relieve();
  await waitUntil("writes to go on", async () => (await puts.put(store, large)) === "committed");
  await puts.check(store);
  await store.close();
  await puts.check(await afterCrash(t, path));
});

test("while no flush works nothing is acknowledged, and then it goes on by itself", async (t) => {
  await using disk = await openThinDisk(24, untested(t));
  if (disk === undefined) return;
  const path = join(disk.path, "store.db");
  const puts = new Puts();
  await using store = await openSqliteStore({ path, keys: chaosKeys });
  for (let i = 0; i < 20; i += 1) assert.equal(await puts.put(store), "committed");
  disk.leave(0);
  for (let round = 0; round < 10; round += 1) {
    await Promise.all(Array.from({ length: 20 }, async () => await puts.put(store, 9_000)));
    await puts.check(await afterCrash(t, path));
  }
  assert.ok(puts.refused.size + puts.unknown.size > 0, "the disk has failed");
  disk.relieve();
  await waitUntil("writes to go on", async () => (await puts.put(store)) === "committed");
  await puts.check(store);
  await puts.check(await afterCrash(t, path));
});

/** The store as a process finds it that starts after this one was killed at this moment. */
async function afterCrash(t: TestContext, path: string): ReturnType<typeof openTarget> {
  const folder = await mkdtemp(join(tmpdir(), "setpoint-crashed-"));
  const copy = join(folder, "store.db");
  await copyFile(path, copy);
  await copyFile(`${path}-wal`, `${copy}-wal`).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  });
  const store = await openTarget(sqliteTarget(copy));
  t.after(async () => {
    await store.close();
    await rm(folder, { recursive: true, force: true });
  });
  return store;
}

/** The log is written again in parts of a MiB: the hole is in the first one, or behind it. */
for (const putBytes of [1_000, 100_000]) {
  test(`what is acknowledged after a failed flush is kept (puts of ${putBytes})`, async (t) => {
    await using disk = await openThinDisk(24, untested(t));
    if (disk === undefined) return;
    const path = join(disk.path, "store.db");
    const puts = new Puts();
    await using store = await openSqliteStore({ path, keys: chaosKeys });
    for (let i = 0; i < 20; i += 1) assert.equal(await puts.put(store, putBytes), "committed");
    // Claims are not flushed: they stand in the log before the commit whose flush fails.
    for (const name of puts.acknowledged.keys()) {
      const key = chaosKey("puts.chaos", name);
      const due = { kind: "wake", afterMs: 0 } as const;
      await store.commit([{ kind: "schedule", key, when: { kind: "exists" }, due }]);
    }
    await store.claim({ owner: "one", kinds: ["puts.chaos"], limit: 1, leaseMs: 60_000 });
    const { size } = await stat(`${path}-wal`);
    assert.equal(size > 1_048_576, putBytes > 1_000, `the log has ${size} bytes`);
    disk.leave(0);
    await store.claim({ owner: "one", kinds: ["puts.chaos"], limit: 10, leaseMs: 60_000 });
    for (let i = 0; puts.codes.length === 0 && i < 100; i += 1) await puts.put(store, 9_000);
    assert.ok(puts.codes.length > 0, "the disk has failed");
    disk.relieve();
    await waitUntil("writes to go on", async () => (await puts.put(store)) === "committed");
    for (let i = 0; i < 5; i += 1) assert.equal(await puts.put(store), "committed");
    const found = await disk.afterPowerLoss();
    await using reopened = await openTarget(sqliteTarget(join(found, "store.db")));
    await puts.check(reopened);
  });
}

test("a restore whose flush failed does not come to life, and can be repeated", async (t) => {
  await using disk = await openThinDisk(24, untested(t));
  if (disk === undefined) return;
  const puts = new Puts();
  await using source = await openSqliteStore({ path: ":memory:", keys: chaosKeys });
  for (let i = 0; i < 4; i += 1) assert.equal(await puts.put(source, large), "committed");
  const path = join(disk.path, "store.db");
  await using store = await openSqliteStore({ path, keys: chaosKeys });
  disk.leave(600_000);
  const [failed] = await Promise.allSettled([store.load(source.dump())]);
  assert(failed.status === "rejected", "the disk has failed");
  if (codeOf(failed.reason) !== "store.outcome_unknown") {
    const crashed = await afterCrash(t, path);
    assert.equal(await countPuts(crashed), 0);
  }
  disk.relieve();
  await waitUntil("the restore", async () => {
    const [tried] = await Promise.allSettled([store.load(source.dump())]);
    return tried.status === "fulfilled" || codeOf(tried.reason) === "store.not_empty";
  });
  assert.equal(await countPuts(store), 4);
  const found = await disk.afterPowerLoss();
  await using reopened = await openTarget(sqliteTarget(join(found, "store.db")));
  assert.equal(await countPuts(reopened), 4);
});

/** In pages: one may have room for a single large document. */
async function countPuts(store: Pick<Store, "list">): Promise<number> {
  let count = 0;
  let page = await store.list({ kind: "puts.chaos" });
  for (;;) {
    count += page.records.length;
    if (page.next === undefined) return count;
    page = await store.list({ kind: "puts.chaos", from: page.next });
  }
}

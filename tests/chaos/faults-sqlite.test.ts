// Faults under the embedded store: a disk that is full, a file that cannot be written, and files
// that are damaged. What matters: a typed error, nothing acknowledged that is lost, nothing refused
// that is there, and work that goes on without a restart once the fault is over.
import assert from "node:assert/strict";
import {
  chmod,
  copyFile,
  mkdtemp,
  open,
  readFile,
  rm,
  stat,
  truncate,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { DatabaseSync } from "node:sqlite";
import { isSetpointError } from "../../src/kernel/errors.ts";
import { seededRandom } from "../../src/kernel/random.ts";
import { openSqliteStore } from "../../src/store/sqlite/store.ts";
import { seed } from "../seed.ts";
import { Puts } from "./acknowledged.ts";
import { openDisk } from "./disk.ts";
import { codeOf } from "./evidence.ts";
import { chaosKeys, openTarget, sqliteTarget } from "./target.ts";

let folder = "";
before(async () => {
  folder = await mkdtemp(join(tmpdir(), "setpoint-faults-"));
});
after(async () => await rm(folder, { recursive: true, force: true }));

for (const walCap of ["large", "small"] as const) {
  test(`a full disk is store.full, and no more once there is room (${walCap} log)`, async (t) => {
    await using disk = await openDisk(32, (why) => t.diagnostic(`NOT TESTED: full disk: ${why}`));
    if (disk === undefined) return;
    const path = join(disk.path, "store.db");
    const walLimits = { wakeBytes: 65_536, capBytes: 262_144 };
    const testing = walCap === "small" ? { walLimits } : {};
    const ballast = join(disk.path, "ballast");
    const puts = new Puts();
    {
      await using store = await openSqliteStore({ path, keys: chaosKeys, testing });
      for (let i = 0; i < 20; i += 1) assert.equal(await puts.put(store), "committed");
      await fill(ballast, 3_000_000);
      let code = "committed";
      for (let i = 0; i < 3_000 && code === "committed"; i += 1) {
        code = await puts.put(store, 9_000);
      }
      assert.equal(code, "store.full");
      // It stays so, for many callers at once as well, and reading goes on.
      await Promise.all(Array.from({ length: 50 }, async () => await puts.put(store, 9_000)));
      assert.deepEqual(puts.codes, ["store.full"]);
      assert.equal((await store.list({ kind: "puts.chaos", limit: 1 })).records.length, 1);
      await rm(ballast);
      for (let i = 0; i < 50; i += 1) assert.equal(await puts.put(store, 9_000), "committed");
      await puts.check(store);
      const { revision } = await store.head();
      assert.equal(revision, puts.acknowledged.size, "refused writes used no revision");
    }
    await using reopened = await openTarget(sqliteTarget(path));
    await puts.check(reopened);
  });
}

/** Leaves about this many bytes free. */
async function fill(path: string, freeBytes: number): Promise<void> {
  const file = await open(path, "w");
  const chunk = Buffer.alloc(262_144, "b");
  try {
    for (;;) await file.write(chunk);
  } catch (error) {
    assert.match(String(error), /ENOSPC/);
  } finally {
    await file.sync().catch(() => undefined);
    await file.close();
  }
  await truncate(path, Math.max(0, (await stat(path)).size - freeBytes));
}

test("a folder that cannot be written is a typed error, and the file is left alone", async (t) => {
  await using disk = await openDisk(32, (why) => t.diagnostic(`by permissions only: ${why}`));
  const puts = new Puts();
  const place = disk === undefined ? folder : disk.path;
  const path = join(place, "read-only.db");
  await using first = await openTarget(sqliteTarget(path));
  for (let i = 0; i < 20; i += 1) await puts.put(first);
  await first.close();
  if (disk === undefined) await chmod(path, 0o444);
  else disk.remount("ro");
  const bytes = await readFile(path);
  const opening = openTarget(sqliteTarget(path));
  const code = await opening.then(
    async (store) => {
      const answer = await puts.put(store);
      await store.close();
      return answer;
    },
    (error: unknown) => codeOf(error),
  );
  t.diagnostic(`a file that cannot be written: ${code}`);
  assert.match(code, /^store\.(read_only|unavailable)$/);
  assert.deepEqual(await readFile(path), bytes);
  disk?.remount("rw");
});

test("a second process is told that the store is locked, and a read-only one is not", async () => {
  const path = join(folder, "locked.db");
  const puts = new Puts();
  await using store = await openTarget(sqliteTarget(path));
  await puts.put(store);
  await assert.rejects(openTarget(sqliteTarget(path)), (error) =>
    isSetpointError(error, "store.locked"),
  );
  await using reader = await openSqliteStore({ path, keys: chaosKeys, readOnly: true });
  assert.equal((await reader.head()).revision, 1);
  assert.equal(await puts.put(reader), "store.read_only");
  await puts.check(store);
});

test("files that are not a store are refused with a typed error and left alone", async () => {
  const text = join(folder, "text.db");
  await writeFile(text, "this is not a database\n".repeat(1_000));
  const foreign = join(folder, "foreign.db");
  const db = new DatabaseSync(foreign);
  db.exec("CREATE TABLE note (text TEXT); INSERT INTO note VALUES ('mine')");
  db.close();
  for (const [path, code] of [
    [text, "store.corrupt"],
    [foreign, "config.invalid"],
  ] as const) {
    const bytes = await readFile(path);
    await assert.rejects(openTarget(sqliteTarget(path)), (error) => {
      assert.equal(codeOf(error), code);
      return true;
    });
    assert.deepEqual(await readFile(path), bytes, path);
  }
});

async function soundFile(path: string, puts: Puts): Promise<void> {
  await using store = await openTarget(sqliteTarget(path));
  for (let i = 0; i < 40; i += 1) {
    await Promise.all(Array.from({ length: 10 }, async () => await puts.put(store, 2_000)));
  }
}

/** What the store says about a damaged file; "sound" only when it gives back all that was put. */
async function opinion(path: string, puts: Puts): Promise<string> {
  try {
    await using store = await openTarget(sqliteTarget(path));
    // The whole log is read as well: damage must not show as an error that nobody knows.
    for (let page = await store.changes(0); page.changes.length > 0;) {
      page = await store.changes(page.changes.at(-1)?.revision ?? 0);
    }
    const findings = await store.verify();
    if (findings.length > 0) return "found by verify";
    await puts.check(store);
    return "sound";
  } catch (error) {
    return codeOf(error);
  }
}

test("damage inside a document is found by verify, although the database cannot know", async () => {
  const path = join(folder, "document.db");
  const puts = new Puts();
  await soundFile(path, puts);
  const bytes = await readFile(path);
  const at = bytes.indexOf('"op":"put-000100"');
  assert.ok(at > 0);
  bytes.write("PUT", at + 6);
  await writeFile(path, bytes);
  assert.equal(await opinion(path, puts), "found by verify");
});

test("damaged terms are a finding and a typed error, not a puzzle", async () => {
  const path = join(folder, "terms.db");
  const puts = new Puts();
  await soundFile(path, puts);
  const db = new DatabaseSync(path);
  db.exec("UPDATE change SET terms = '[oops' WHERE revision = 7");
  db.exec("UPDATE resource SET terms = '[oops' WHERE revision = 9");
  db.close();
  assert.equal(await opinion(path, puts), "store.corrupt");
  await using store = await openTarget(sqliteTarget(path));
  assert.notDeepEqual(await store.verify(), []);
});

test("a truncated file is found to be corrupt", async () => {
  const path = join(folder, "truncated.db");
  const puts = new Puts();
  await soundFile(path, puts);
  const { size } = await stat(path);
  for (const share of [0.9, 0.5, 0.1]) {
    await truncate(path, Math.floor((size * share) / 4_096) * 4_096);
    assert.match(await opinion(path, puts), /^(found by verify|store\.corrupt)$/, `${share}`);
  }
});

test("flipped bytes anywhere give a typed error, a finding, or had no meaning", async (t) => {
  const path = join(folder, "sound.db");
  const puts = new Puts();
  await soundFile(path, puts);
  const bytes = await readFile(path);
  const random = seededRandom(seed);
  const opinions = new Map<string, number>();
  for (let round = 0; round < 16; round += 1) {
    const damaged = join(folder, `damaged-${round}.db`);
    const copy = Buffer.from(bytes);
    const page = Math.floor(random.next() * (bytes.length / 4_096));
    // The first bytes of a page are its structure, where damage does the most.
    for (let i = 0; i < 16; i += 1) {
      const at = page * 4_096 + Math.floor(random.next() * (round % 2 === 0 ? 64 : 4_096));
      copy[at] = Math.floor(random.next() * 256);
    }
    await writeFile(damaged, copy);
    const said = await opinion(damaged, puts);
    assert.match(
      said,
      /^(sound|found by verify|store\.corrupt|secret\.unsealable|config\.invalid)$/,
      `seed ${seed}`,
    );
    opinions.set(said, (opinions.get(said) ?? 0) + 1);
  }
  t.diagnostic(`seed ${seed}: ${JSON.stringify(Object.fromEntries(opinions))}`);
  assert.ok((opinions.get("sound") ?? 0) < 8, "most damage is noticed");
});

test("a damaged log beside a sound file costs at most what was never flushed", async () => {
  const path = join(folder, "wal.db");
  const puts = new Puts();
  const copied = join(folder, "wal-copy.db");
  await using store = await openTarget(sqliteTarget(path));
  for (let i = 0; i < 100; i += 1) await puts.put(store);
  await copyFile(path, copied);
  const wal = await readFile(`${path}-wal`);
  // Half of the log is gone: what is left must be a prefix, and sound.
  await writeFile(`${copied}-wal`, wal.subarray(0, wal.length / 2));
  await using other = await openTarget(sqliteTarget(copied));
  const { revision } = await other.head();
  assert.ok(revision < 100 && revision > 10, `head ${revision}`);
  assert.deepEqual(await other.verify(), []);
  const { changes } = await other.changes(0);
  assert.deepEqual(
    changes.map((change) => change.revision),
    Array.from({ length: revision }, (_, index) => index + 1),
  );
});

import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, it } from "node:test";
import { isSetpointError } from "../kernel/errors.ts";
import { readSummary, restoreBackup, writeBackup } from "./backup.ts";
import { allRows, claimOne, commit, del, exists, key, put } from "./contract/samples.ts";
import { rejectsWith, rowsOf } from "./contract/samples.ts";
import { release, schedule, wake } from "./contract/samples.ts";
import { keyRing, newSealKey } from "./key-ring.ts";
import type { DumpRow } from "./port.ts";
import { memoryFolder } from "./sqlite/harness.ts";
import { openSqliteStore } from "./sqlite/store.ts";
import type { SqliteStore } from "./sqlite/store.ts";

const ring = keyRing([newSealKey()]);
let folder = "";
let path = "";
beforeEach(() => {
  folder = mkdtempSync(join(memoryFolder, "setpoint-backup-"));
  path = join(folder, "a.backup");
});
afterEach(() => rmSync(folder, { recursive: true }));

async function open(): Promise<SqliteStore> {
  return await openSqliteStore({ path: ":memory:", keys: ring });
}

async function filled(): Promise<SqliteStore> {
  const store = await open();
  await commit(store, put(key("a")));
  await commit(store, put(key("a"), { when: exists, content: { spec: 2 } }));
  await commit(store, put(key("b"), { content: { secrets: { word: "quiet" } } }));
  await commit(store, put(key("c")));
  await commit(store, del(key("c")));
  return store;
}

function withOtherDocument(row: DumpRow): DumpRow {
  return { ...row, document: Buffer.from("{}") } as DumpRow;
}

describe("a backup", () => {
  it("restores the newest state, and nothing of the past", async () => {
    await using store = await filled();
    await writeBackup(store, path, 0);
    await using copy = await open();
    await restoreBackup(copy, path, ring);
    for (const name of ["a", "b", "c"]) {
      const [before, after] = [await store.get(key(name)), await copy.get(key(name))];
      assert.deepEqual(after?.body, before?.body, name);
      assert.equal(after?.uid, before?.uid);
    }
    assert.deepEqual(await copy.verify(), []);
  });

  it("never lets a restored store give out a revision again", async () => {
    await using store = await filled();
    await writeBackup(store, path, 0);
    const seen = await commit(store, put(key("d")));
    await using copy = await open();
    await restoreBackup(copy, path, ring);
    assert((await commit(copy, put(key("e")))) > seen);
    await assert.rejects(copy.changes(seen), (error) => isSetpointError(error, "history.gone"));
    assert.deepEqual(await copy.verify(), []);
  });

  it("never lets a restored store give out a token again, also when restored twice", async () => {
    let store = await filled();
    await commit(store, put(key("w"), { due: wake() }));
    let seen = 0;
    for (let life = 1; life <= 3; life += 1) {
      await writeBackup(store, path, 0);
      // What is claimed after the backup is known outside, and not in the backup.
      for (let claims = 0; claims < 5; claims += 1) {
        const claim = await claimOne(store);
        assert(claim.token > seen, `${claim.token} comes after ${seen}`);
        seen = claim.token;
        await commit(store, schedule(key("w"), release(0), { claim }));
      }
      await store.close();
      store = await open();
      await restoreBackup(store, path, ring);
    }
    assert(Number.isSafeInteger(seen * 1_000), "there is room for many more");
    assert.deepEqual(await store.verify(), []);
    await store.close();
  });

  it("of an empty store restores an empty store", async () => {
    await using store = await open();
    await writeBackup(store, path, 0);
    await using copy = await open();
    await restoreBackup(copy, path, ring);
    assert.equal((await copy.head()).revision, 0);
  });

  it("needs its keys before anything is written", async () => {
    await using store = await filled();
    await writeBackup(store, path, 0);
    await using copy = await open();
    await assert.rejects(restoreBackup(copy, path, keyRing([newSealKey()])), (error) =>
      isSetpointError(error, "secret.key_missing"),
    );
    assert.equal((await copy.head()).revision, 0);
  });

  it("needs keys that open it, and one that may seal, before anything is written", async () => {
    await using store = await filled();
    const { id } = ring.active();
    await writeBackup(store, path, 0);
    await using copy = await open();
    const forged = keyRing([{ id, secret: newSealKey().secret }]);
    await assert.rejects(restoreBackup(copy, path, forged), (error) =>
      isSetpointError(error, "secret.unsealable"),
    );
    await store.retireKeys([id]);
    await writeBackup(store, path, 0);
    await assert.rejects(restoreBackup(copy, path, ring), (error) =>
      isSetpointError(error, "secret.key_retired"),
    );
    assert.equal((await copy.head()).revision, 0);
    const renewed = keyRing([newSealKey(), ring.active()]);
    await restoreBackup(copy, path, renewed);
    assert.notEqual((await copy.head()).revision, 0);
  });

  it("of a store that is not sound is refused whole", async () => {
    await using store = await filled();
    await using copy = await open();
    const rows = (await allRows(store)).map((row) =>
      row.row === "change" ? withOtherDocument(row) : row,
    );
    await rejectsWith("backup.invalid", copy.load(rowsOf(rows)));
    assert.equal((await copy.head()).revision, 0);
    assert.equal(await commit(copy, put(key("a"))), 1);
    assert.deepEqual(await copy.verify(), []);
  });

  it("with a damaged byte is refused, unless its content is still the same", async () => {
    await using store = await filled();
    const { rows, head } = await writeBackup(store, path, 0);
    const bytes = readFileSync(path);
    let harmless = 0;
    for (let at = 0; at < bytes.length; at += 23) {
      const bent = Buffer.from(bytes);
      bent[at] = (bent[at] ?? 0) ^ 0x10;
      writeFileSync(path, at % 2 === 0 ? bent : bytes.subarray(0, at));
      const refused = await readSummary(path).then(
        (found) => (found.rows === rows && found.head === head ? "whole" : "read something else"),
        (error: unknown) => (isSetpointError(error, "backup.invalid") ? "refused" : String(error)),
      );
      // Some bits of a compressed file mean nothing: then the content is proven by its checksum.
      if (refused === "whole") harmless += 1;
      else assert.equal(refused, "refused", `byte ${at} of ${bytes.length}`);
    }
    assert(harmless <= 3, `${harmless} damaged files were taken for whole`);
  });
});

// A key ring on a disk that has room for a part of it. What matters: the write fails loudly, the
// ring that was there is whole, nothing is left beside it, and with room again it goes on.
import assert from "node:assert/strict";
import { readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { writeDurably } from "../../src/app/durable-file.ts";
import { activateKey, createKeyFile, openKeyFile, waitingKey } from "../../src/app/key-file.ts";
import { newSealKey } from "../../src/store/key-ring.ts";
import { openSmallDisk } from "./disk.ts";

const pageBytes = 4_096;
const bytes = 12 * pageBytes;

test("a key ring that does not fit on the disk is refused, and the old one stays", async (t) => {
  await using disk = await openSmallDisk(bytes, (why) => t.diagnostic(`NOT TESTED: ${why}`));
  if (disk === undefined) return;
  const path = join(disk.path, "keys.json");
  const ballast = join(disk.path, "ballast");
  createKeyFile(path, newSealKey());
  for (let more = 0; more < 30; more += 1) activateKey(path, waitingKey(path).id);
  const ring = readFileSync(path, "utf8");
  for (let freePages = 0; freePages * pageBytes < 2 * ring.length; freePages += 1) {
    rmSync(ballast, { force: true });
    const usedPages = 1 + Math.ceil(ring.length / pageBytes);
    writeFileSync(ballast, Buffer.alloc(bytes - (usedPages + freePages) * pageBytes, "b"));
    const longer = ring + " ".repeat(2 * ring.length);
    assert.throws(() => writeDurably(path, longer, { existing: "replace", mode: 0o600 }), /ENOSPC/);
    assert.equal(readFileSync(path, "utf8"), ring, `${freePages} pages free`);
    assert.deepEqual(readdirSync(disk.path).toSorted(), ["ballast", "keys.json"]);
  }
  rmSync(ballast);
  const { id } = waitingKey(path);
  assert.notEqual(openKeyFile(path).find(id), undefined);
});

import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, it } from "node:test";
import { writeDurably } from "./durable-file.ts";

describe("a file that must never be half written", () => {
  let folder = "";
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "setpoint-durable-"));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it("has every byte, whatever its letters are, and only its owner's mode", () => {
    const path = join(folder, "file");
    for (const text of ["", "short", "ä€😀".repeat(100_000)]) {
      writeDurably(path, text, { existing: "replace", mode: 0o600 });
      assert.equal(readFileSync(path, "utf8"), text);
    }
    assert.equal(statSync(path).mode & 0o777, 0o600);
    assert.deepEqual(readdirSync(folder), ["file"]);
  });

  it("is kept where it shall be, and nothing is left beside it", () => {
    const path = join(folder, "file");
    for (const text of ["first", "second"]) {
      writeDurably(path, text, { existing: "keep", mode: 0o600 });
    }
    assert.equal(readFileSync(path, "utf8"), "first");
    assert.deepEqual(readdirSync(folder), ["file"]);
  });

  it("leaves nothing behind when it cannot take its place", () => {
    const path = join(folder, "taken");
    mkdirSync(join(path, "inside"), { recursive: true });
    assert.throws(() => writeDurably(path, "text", { existing: "replace", mode: 0o600 }));
    assert.deepEqual(readdirSync(folder), ["taken"]);
  });
});

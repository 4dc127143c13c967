import assert from "node:assert/strict";
import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, it } from "node:test";
import { isSetpointError } from "../kernel/errors.ts";
import { newSealKey } from "../store/key-ring.ts";
import { addKey, createKeyFile, dropOldKeys, openKeyFile } from "./key-file.ts";

describe("the key file", () => {
  let folder = "";
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "setpoint-keys-"));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it("is made once, for its owner only, and then kept", () => {
    const path = join(folder, "keys.json");
    const first = newSealKey();
    createKeyFile(path, first);
    createKeyFile(path, newSealKey());
    assert.equal(statSync(path).mode & 0o777, 0o600);
    assert.equal(openKeyFile(path).active().id, first.id);
  });

  it("is not made by who only looks", () => {
    assert.throws(
      () => openKeyFile(join(folder, "keys.json")),
      (error) => isSetpointError(error, "config.invalid"),
    );
  });

  it("gives a running process the rotated key without a restart, and the old one too", () => {
    const path = join(folder, "keys.json");
    createKeyFile(path, newSealKey());
    const running = openKeyFile(path);
    const old = running.active();
    const added = addKey(path);
    assert.equal(running.active().id, added.id);
    assert.deepEqual(running.find(old.id), old);
    assert.equal(dropOldKeys(path), 1);
    assert.equal(openKeyFile(path).find(old.id), undefined);
  });

  it("never shows its content in an error", () => {
    const path = join(folder, "keys.json");
    writeFileSync(path, "not-json-but-confidential");
    assert.throws(
      () => openKeyFile(path),
      (error) => isSetpointError(error) && !JSON.stringify(error).includes("confidential"),
    );
  });
});

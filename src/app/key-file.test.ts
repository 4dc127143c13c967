import assert from "node:assert/strict";
import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, it } from "node:test";
import { isSetpointError } from "../kernel/errors.ts";
import { addKey, dropOldKeys, openKeyFile } from "./key-file.ts";

describe("the key file", () => {
  let folder = "";
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "setpoint-keys-"));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it("is made once, for its owner only, and then kept", () => {
    const path = join(folder, "deep", "keys.json");
    const first = openKeyFile(path, { create: true }).active().id;
    assert.equal(statSync(path).mode & 0o777, 0o600);
    assert.equal(openKeyFile(path, { create: true }).active().id, first);
  });

  it("is not made by who only looks", () => {
    assert.throws(
      () => openKeyFile(join(folder, "keys.json"), { create: false }),
      (error) => isSetpointError(error, "config.invalid"),
    );
  });

  it("gives a running process the rotated key without a restart, and the old one too", () => {
    const path = join(folder, "keys.json");
    const running = openKeyFile(path, { create: true });
    const old = running.active();
    const added = addKey(path);
    assert.equal(running.active().id, added.id);
    assert.deepEqual(running.find(old.id), old);
    assert.equal(dropOldKeys(path), 1);
    assert.equal(openKeyFile(path, { create: false }).find(old.id), undefined);
  });

  it("never shows its content in an error", () => {
    const path = join(folder, "keys.json");
    writeFileSync(path, "not-json-but-confidential");
    assert.throws(
      () => openKeyFile(path, { create: true }),
      (error) => isSetpointError(error) && !JSON.stringify(error).includes("confidential"),
    );
  });
});

import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, it } from "node:test";
import { isSetpointError } from "../kernel/errors.ts";
import { formatKeyRing, newSealKey } from "../store/key-ring.ts";
import { activateKey, createKeyFile, dropKeys } from "./key-file.ts";
import { oldKeys, openKeyFile, waitingKey } from "./key-file.ts";

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
    const added = waitingKey(path);
    assert.equal(waitingKey(path).id, added.id, "one is enough");
    assert.equal(running.active().id, old.id);
    assert.deepEqual(running.find(added.id)?.secret, added.secret);
    activateKey(path, added.id);
    assert.equal(running.active().id, added.id);
    assert.deepEqual(running.find(old.id), old);
    const next = waitingKey(path);
    assert.deepEqual(oldKeys(path), [old.id]);
    dropKeys(path, [old.id]);
    assert.deepEqual(openKeyFile(path).ids(), [added.id, next.id]);
    assert.deepEqual(running.ids(), [added.id, next.id]);
  });

  it("goes on with the ring it has while a copy is half there or is another's", () => {
    const path = join(folder, "keys.json");
    createKeyFile(path, newSealKey());
    const running = openKeyFile(path);
    const { id } = running.active();
    const added = waitingKey(path);
    const whole = readFileSync(path, "utf8");
    for (const text of [whole.slice(0, 40), "", formatKeyRing([newSealKey()])]) {
      writeFileSync(path, text);
      assert.equal(running.active().id, id);
      assert.deepEqual(running.ids(), [id]);
    }
    rmSync(path);
    assert.equal(running.active().id, id);
    writeFileSync(path, whole);
    assert.deepEqual(running.ids(), [id, added.id]);
  });

  it("is for older releases what it was: the first key seals", () => {
    const path = join(folder, "keys.json");
    const first = newSealKey();
    createKeyFile(path, first);
    waitingKey(path);
    const { keys } = JSON.parse(readFileSync(path, "utf8")) as { keys: { id: string }[] };
    assert.equal(keys[0]?.id, first.id);
  });

  it("says of a damaged file to restore its copy", () => {
    const path = join(folder, "keys.json");
    writeFileSync(path, "{}");
    assert.throws(
      () => openKeyFile(path),
      (error) => isSetpointError(error) && /restore the separate copy/.test(error.suggestion ?? ""),
    );
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

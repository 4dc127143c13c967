import assert from "node:assert/strict";
import { describe, it } from "node:test";
import * as fc from "fast-check";
import { encodeDocument } from "../kernel/document.ts";
import { isSetpointError } from "../kernel/errors.ts";
import { formatKeyRing, keyRing, newSealKey, parseKeyRing } from "./key-ring.ts";
import { envelopeKeyId, openDocument, resealEnvelope, sealDocument } from "./seal.ts";

const identity = { key: { kind: "secrets", namespace: "a", name: "b" }, uid: "u-1" };

function bodyOf(password: unknown): Buffer {
  return Buffer.from(JSON.stringify({ z: 1, data: { a: 1, password, b: [password, 2] }, y: null }));
}

describe("sealing", () => {
  const ring = keyRing([newSealKey()]);
  const secrets = ["/data/password", "/data/b/0"];

  it("gives back the very bytes, for any value", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const body = bodyOf(value);
        const stored = sealDocument(ring, identity, { body, secrets });
        assert.deepEqual(openDocument(ring, identity, stored), body);
      }),
    );
  });

  it("blanks very many secrets of one document", () => {
    const data = Object.fromEntries(Array.from({ length: 40_000 }, (_, i) => [`k${i}`, "v"]));
    const pointers = Object.keys(data).map((key) => `/data/${key}`);
    const body = Buffer.from(JSON.stringify({ data }));
    const stored = sealDocument(ring, identity, { body, secrets: pointers });
    const { data: blank } = JSON.parse(stored.document.toString()) as { data: object };
    assert.equal(Object.values(blank).filter((value) => value === null).length, 40_000);
    assert.deepEqual(openDocument(ring, identity, stored), body);
  });

  it("refuses what is not JSON, or too deep, without quoting it", () => {
    for (const text of ['{"data":{"password":"hunter2"', `${"[".repeat(1e5)}${"]".repeat(1e5)}`]) {
      assert.throws(
        () => sealDocument(ring, identity, { body: Buffer.from(text), secrets }),
        (error) =>
          isSetpointError(error, "request.invalid") &&
          error.cause === undefined &&
          !error.message.includes("hunter2"),
      );
    }
  });

  it("gives back a secret inside a secret, whichever was named first", () => {
    const body = bodyOf({ inner: "x" });
    for (const order of [
      ["/data/password", "/data/password/inner"],
      ["/data/password/inner", "/data/password"],
    ]) {
      const stored = sealDocument(ring, identity, { body, secrets: order });
      assert.deepEqual(openDocument(ring, identity, stored), body);
    }
  });

  it("gives back bytes that JSON itself would write otherwise", () => {
    const body = Buffer.from('{ "data": {"password":"x"}, "7": 1.0, "a": 1, "a": 2 }');
    const stored = sealDocument(ring, identity, { body, secrets: ["/data/password"] });
    assert.deepEqual(openDocument(ring, identity, stored), body);
  });

  it("leaves nothing of the value in the stored document", () => {
    const stored = sealDocument(ring, identity, { body: bodyOf("hunter-2-hunter"), secrets });
    assert.ok(!stored.document.includes("hunter-2"));
    assert.ok(stored.sealed !== null && !stored.sealed.includes("hunter-2"));
  });

  it("stores a document without secrets as it is", () => {
    const body = bodyOf("plain");
    const stored = sealDocument(ring, identity, { body, secrets: [] });
    assert.equal(stored.document, body);
    assert.equal(stored.sealed, null);
  });

  it("gives equal digests for equal bodies only, and keyed ones for secrets", () => {
    const one = sealDocument(ring, identity, { body: bodyOf("a"), secrets });
    const same = sealDocument(ring, identity, { body: bodyOf("a"), secrets });
    const other = sealDocument(ring, identity, { body: bodyOf("b"), secrets });
    const elsewhere = sealDocument(keyRing([newSealKey()]), identity, {
      body: bodyOf("a"),
      secrets,
    });
    assert.deepEqual(one.digest, same.digest);
    assert.notDeepEqual(one.digest, other.digest);
    assert.notDeepEqual(one.digest, elsewhere.digest);
    assert.notDeepEqual(one.sealed, same.sealed, "a nonce is used once");
  });

  it("does not open for another identity, or with one bit changed", () => {
    const stored = sealDocument(ring, identity, { body: bodyOf("a"), secrets });
    const { key, uid } = identity;
    for (const stolen of [
      { key, uid: "u-2" },
      { key: { ...key, kind: "others" }, uid },
      { key: { ...key, namespace: "c" }, uid },
      { key: { ...key, name: "c" }, uid },
    ]) {
      assert.throws(
        () => openDocument(ring, stolen, stored),
        (error) => isSetpointError(error, "secret.unsealable"),
        JSON.stringify(stolen),
      );
    }
    const sealed = Buffer.from(stored.sealed ?? []);
    for (let index = 1; index < sealed.length; index += 7) {
      const bent = Buffer.from(sealed);
      bent[index] = (bent[index] ?? 0) ^ 1;
      assert.throws(() => openDocument(ring, identity, { ...stored, sealed: bent }));
    }
  });

  it("names the key that is missing", () => {
    const stored = sealDocument(ring, identity, { body: bodyOf("a"), secrets });
    assert.throws(
      () => openDocument(keyRing([newSealKey()]), identity, stored),
      (error) => isSetpointError(error, "secret.key_missing"),
    );
  });

  it("moves an envelope to the active key, once", () => {
    const old = newSealKey();
    const stored = sealDocument(keyRing([old]), identity, { body: bodyOf("a"), secrets });
    const rotated = keyRing([newSealKey(), old]);
    const moved = resealEnvelope(rotated, identity, stored.sealed ?? Buffer.alloc(0));
    assert.ok(moved !== undefined);
    assert.equal(envelopeKeyId(moved), rotated.active().id);
    assert.deepEqual(openDocument(rotated, identity, { ...stored, sealed: moved }), bodyOf("a"));
    assert.equal(resealEnvelope(rotated, identity, moved), undefined);
  });
});

describe("the key ring", () => {
  it("survives its text form", () => {
    const keys = [newSealKey(), newSealKey()];
    assert.deepEqual(parseKeyRing(formatKeyRing(keys)), keys);
  });

  it("refuses malformed text without quoting it", () => {
    const short = '{"keys":[{"id":"x","secret":"s3cret"}]}';
    for (const text of ["", "s3cret", "{}", '{"keys":[]}', short]) {
      assert.throws(
        () => parseKeyRing(text),
        (error) => isSetpointError(error, "config.invalid") && !error.message.includes("s3cret"),
      );
    }
  });
});

it("the kernel's own encoding is what sealing preserves", () => {
  const ring = keyRing([newSealKey()]);
  const body = encodeDocument({
    apiVersion: "v1",
    kind: "Secret",
    metadata: {
      name: "b",
      namespace: "a",
      uid: "u-1",
      generation: 1,
      creationTimestamp: "2026-01-01T00:00:00Z",
    },
    data: { token: "öäü €" },
  });
  const stored = sealDocument(ring, identity, { body, secrets: ["/data/token"] });
  assert.deepEqual(openDocument(ring, identity, stored), body);
});

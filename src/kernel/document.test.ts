import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { anyResource } from "./arbitraries.ts";
import {
  addedStatus,
  decodeDocument,
  documentDigest,
  encodeDocument,
  spliceRevision,
  splicedParts,
} from "./document.ts";
import { isSetpointError } from "./errors.ts";
import { parseExact } from "./int64.ts";
import { equalJson } from "./json.ts";
import type { Json, JsonObject } from "./json.ts";
import type { Metadata, Resource } from "./resource.ts";
import { withoutKey } from "./without-key.ts";

const revision = fc.maxSafeNat();

test("a decoded document is the resource with its revision", () => {
  fc.assert(
    fc.property(anyResource, revision, (resource, at) => {
      const decoded = decodeDocument(encodeDocument(resource), at);
      assert.ok(equalJson(decoded, withRevision(resource, at)));
    }),
    { numRuns: 300 },
  );
});

test("splicing the revision in gives the same JSON as decoding, without parsing", () => {
  fc.assert(
    fc.property(anyResource, revision, (resource, at) => {
      const spliced = spliceRevision(encodeDocument(resource), at);
      const parsed = parseExact(spliced.toString()) as Json;
      assert.ok(equalJson(parsed, withRevision(resource, at)));
    }),
    { numRuns: 300 },
  );
});

test("encoding is a normal form: what was decoded encodes to the same bytes", () => {
  fc.assert(
    fc.property(anyResource, revision, (resource, at) => {
      const bytes = encodeDocument(resource);
      assert.ok(encodeDocument(decodeDocument(bytes, at)).equals(bytes));
    }),
  );
});

test("apiVersion, kind and metadata come first, and name and namespace first in it", () => {
  const resource = JSON.parse(
    '{"7":{"metadata":{}},"status":1,"spec":{"metadata":{}},"metadata":{"uid":"u",' +
      '"namespace":"ns","resourceVersion":"3","name":"n"},"kind":"Widget","apiVersion":"v1"}',
  ) as Resource;
  assert.equal(
    encodeDocument(resource).toString(),
    '{"apiVersion":"v1","kind":"Widget","metadata":{"name":"n","namespace":"ns","uid":"u"},' +
      '"7":{"metadata":{}},"status":1,"spec":{"metadata":{}}}',
  );
});

test("a status behind the document before it is found without the rest", () => {
  fc.assert(
    fc.property(anyResource, fc.dictionary(fc.string(), fc.jsonValue()), (resource, told) => {
      const before = withoutKey(resource, "status");
      const bytes = encodeDocument(before);
      const status = JSON.parse(JSON.stringify(told)) as JsonObject;
      const found = addedStatus(bytes, encodeDocument({ ...before, status }));
      assert.ok(found !== undefined && equalJson(found, status));
    }),
  );
});

test("what is found as an added status is all that two documents differ by", () => {
  const head = { apiVersion: "v1", kind: "K", metadata: { name: "n" } as Metadata };
  const other = { ...head.metadata, generation: 2 } as Metadata;
  const pairs: readonly (readonly [string, Resource, Resource])[] = [
    ["inside of a spec", { ...head, spec: {} }, { ...head, spec: { status: { a: 1 } } }],
    ["last in a spec", { ...head, spec: { a: 1 } }, { ...head, spec: { a: 1, status: { b: 2 } } }],
    ["other metadata", head, { ...head, metadata: other, status: {} }],
    ["another spec", { ...head, spec: { a: 1 } }, { ...head, spec: { a: 2 }, status: {} }],
    ["more behind it", head, { ...head, status: {}, more: 1 }],
    ["no object", head, { ...head, status: 1 }],
    ["the same", { ...head, status: {} }, { ...head, status: {} }],
    ["another status", { ...head, status: {} }, { ...head, status: { a: 1 } }],
  ];
  for (const [what, before, next] of pairs) {
    const found = addedStatus(encodeDocument(before), encodeDocument(next));
    assert.equal(found, undefined, what);
  }
});

test("empty metadata receives the revision without a stray comma", () => {
  const bytes = encodeDocument({ apiVersion: "v1", kind: "K", metadata: {} as Metadata });
  assert.equal(
    spliceRevision(bytes, 7).toString(),
    '{"apiVersion":"v1","kind":"K","metadata":{"resourceVersion":"7"}}',
  );
});

test("a revision in parts gives the same bytes, and shares the memory of the document", () => {
  fc.assert(
    fc.property(anyResource, fc.nat(), (resource, at) => {
      const bytes = encodeDocument(resource);
      const parts = splicedParts(bytes, at);
      assert.deepEqual(Buffer.concat(parts), spliceRevision(bytes, at));
      const shared = parts.filter(({ buffer }) => buffer === bytes.buffer);
      const sharedBytes = shared.reduce((sum, { length }) => sum + length, 0);
      assert.ok(sharedBytes >= bytes.length);
    }),
  );
});

test("encoding leaves the resource as it was", () => {
  fc.assert(
    fc.property(anyResource, (resource) => {
      const text = JSON.stringify(resource);
      encodeDocument(resource);
      assert.equal(JSON.stringify(resource), text);
    }),
  );
});

test("damaged bytes are reported as a corrupt store", () => {
  for (const text of ["", "{", "[]", "null", "{}", '{"metadata":1}']) {
    assert.throws(() => decodeDocument(Buffer.from(text), 1), isCorrupt);
    assert.throws(() => spliceRevision(Buffer.from(text), 1), isCorrupt);
  }
});

test("a plain Uint8Array is as good as a Buffer", () => {
  const bytes = new Uint8Array(encodeDocument(sample()));
  assert.equal(decodeDocument(bytes, 5).metadata.resourceVersion, "5");
  assert.match(spliceRevision(bytes, 5).toString(), /"metadata":\{"resourceVersion":"5",/);
});

test("the digest has 16 bytes and differs when the document does", () => {
  const first = documentDigest(encodeDocument(sample()));
  const second = documentDigest(encodeDocument({ ...sample(), spec: { a: 1 } }));
  assert.equal(first.length, 16);
  assert.ok(!first.equals(second));
  assert.ok(first.equals(documentDigest(encodeDocument(sample()))));
});

function withRevision(resource: Resource, at: number): Json {
  return { ...resource, metadata: { ...resource.metadata, resourceVersion: String(at) } };
}

function sample(): Resource {
  const metadata = { name: "n", uid: "u", generation: 1, creationTimestamp: "" };
  return { apiVersion: "v1", kind: "Widget", metadata };
}

function isCorrupt(error: unknown): boolean {
  return isSetpointError(error, "store.corrupt");
}

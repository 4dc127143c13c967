import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { anyCharacter } from "./arbitraries.ts";
import { draftOf } from "./draft.ts";
import { isSetpointError } from "./errors.ts";
import type { Json } from "./json.ts";
import { defineKind } from "./kind.ts";
import { limits } from "./limits.ts";
import type { Resource } from "./resource.ts";
import { fieldTerm, fieldValue, labelTerm, ownerTerm, termsOf } from "./terms.ts";

const kind = defineKind({
  group: "example.dev",
  names: { plural: "widgets", kind: "Widget" },
  scope: "Namespaced",
  versions: [
    {
      name: "v1",
      served: true,
      storage: true,
      schema: {},
      selectableFields: [".spec.color", ".spec.size", ".spec.password", ".spec.keys.main"],
    },
  ],
  fieldRules: [
    { path: "/spec/password", rule: "secret" },
    { path: "/spec/keys", rule: "secret" },
  ],
});

test("a draft holds the bytes, the terms and the places of secrets", () => {
  const owner = { apiVersion: "v1", kind: "Widget", name: "parent", uid: "u0" };
  const spec = { color: "red", size: 3, password: "p", keys: { main: "k" } };
  const draft = draftOf(kind, widget(spec, { labels: { app: "web" }, ownerReferences: [owner] }));
  assert.deepEqual(draft.terms, ["f:spec.color=red", "f:spec.size=3", "l:app=web", "o:u0"]);
  assert.deepEqual(draft.secrets, ["/spec/keys", "/spec/password"]);
  assert.equal((JSON.parse(draft.body.toString()) as Resource).metadata.name, "n");
});

test("a secret never becomes a term, even when it is declared selectable", () => {
  const draft = draftOf(kind, widget({ password: "hunter2", keys: { main: "hunter2" } }));
  assert.ok(!draft.terms.some((term) => term.includes("hunter2")));
});

test("a document over the size limit is refused", () => {
  const spec = { text: "x".repeat(limits.maxDocumentBytes) };
  assert.throws(() => draftOf(kind, widget(spec)), isTooLarge);
});

test("a document over the depth limit is refused, however deep", () => {
  let deep: Json = 1;
  for (let i = 0; i < 100_000; i++) deep = [deep];
  assert.throws(() => draftOf(kind, widget({ deep })), isTooLarge);
});

test("terms of equal values are equal, and of different values different", () => {
  const value = fc.oneof(
    fc.string({ unit: anyCharacter, maxLength: 4 }),
    fc.constantFrom("a", "b").map((text) => text.repeat(201)),
    fc.constantFrom("#", "\0", "\ud800", "\ud801"),
  );
  fc.assert(
    fc.property(value, value, (a, b) => {
      assert.equal(labelTerm("k", a) === labelTerm("k", b), a === b);
      assert.equal(fieldTerm("k", a) === fieldTerm(".k", b), a === b);
    }),
  );
});

test("a short value cannot pass for the digest of a long one", () => {
  const digest = fieldTerm("p", "x".repeat(500)).slice("f:p=".length);
  assert.match(digest, /^#[0-9a-f]{64}$/);
  assert.notEqual(fieldTerm("p", digest), fieldTerm("p", "x".repeat(500)));
});

test("terms are short, well-formed and free of NUL, whatever the value", () => {
  fc.assert(
    fc.property(fc.string({ unit: anyCharacter, maxLength: 600 }), (value) => {
      const term = fieldTerm("spec.x", value);
      assert.ok(term.length <= limits.maxTermValueLength + 16);
      assert.ok(term.isWellFormed() && !term.includes("\0"));
    }),
  );
});

test("a number and its text give the same term, as field selectors are texts", () => {
  assert.equal(fieldTerm(".spec.size", 3), fieldTerm("spec.size", "3"));
  assert.equal(ownerTerm("u"), "o:u");
});

test("only scalars at own keys count as field values", () => {
  const resource = widget({ a: { b: false }, list: [1], nothing: null, text: "abc" });
  assert.equal(fieldValue(resource, ".spec.a.b"), false);
  assert.equal(fieldValue(resource, "metadata.name"), "n");
  const absent = [".spec.a", ".spec.list", ".spec.nothing", ".spec.text.length", ".spec.toString"];
  for (const path of absent) assert.equal(fieldValue(resource, path), undefined, path);
});

test("terms come sorted and once each", () => {
  const field = { path: ".a", value: 1 };
  assert.deepEqual(termsOf({ owners: ["z", "a", "z"], fields: [field, field] }), [
    "f:a=1",
    "o:a",
    "o:z",
  ]);
  assert.deepEqual(termsOf({}), []);
});

function widget(spec: Json, metadata: Partial<Resource["metadata"]> = {}): Resource {
  const base = { name: "n", uid: "u", generation: 1, creationTimestamp: "" };
  return {
    apiVersion: "example.dev/v1",
    kind: "Widget",
    metadata: { ...base, ...metadata },
    spec,
  };
}

function isTooLarge(error: unknown): boolean {
  return isSetpointError(error, "request.too_large");
}

import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { anyJson, nullFreeJson } from "./arbitraries.ts";
import { equalJson } from "./json.ts";
import type { Json } from "./json.ts";
import { applyMergePatch, makeMergePatch } from "./merge-patch.ts";

// RFC 7396, appendix A: original, patch, result.
const examples: readonly (readonly [Json, Json, Json])[] = [
  [{ a: "b" }, { a: "c" }, { a: "c" }],
  [{ a: "b" }, { b: "c" }, { a: "b", b: "c" }],
  [{ a: "b" }, { a: null }, {}],
  [{ a: "b", b: "c" }, { a: null }, { b: "c" }],
  [{ a: ["b"] }, { a: "c" }, { a: "c" }],
  [{ a: "c" }, { a: ["b"] }, { a: ["b"] }],
  [{ a: { b: "c" } }, { a: { b: "d", c: null } }, { a: { b: "d" } }],
  [{ a: [{ b: "c" }] }, { a: [1] }, { a: [1] }],
  [
    ["a", "b"],
    ["c", "d"],
    ["c", "d"],
  ],
  [{ a: "b" }, ["c"], ["c"]],
  [{ a: "foo" }, null, null],
  [{ a: "foo" }, "bar", "bar"],
  [{ e: null }, { a: 1 }, { e: null, a: 1 }],
  [[1, 2], { a: "b", c: null }, { a: "b" }],
  [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
];

test("the examples of RFC 7396 give the results it lists", () => {
  for (const [original, patch, result] of examples) {
    assert.deepEqual(applyMergePatch(original, patch), result);
  }
});

test("a made patch turns the first document into the second, if that has no null member", () => {
  fc.assert(
    fc.property(anyJson, nullFreeJson, (a, b) => {
      assert.ok(equalJson(applyMergePatch(a, makeMergePatch(a, b)), b));
    }),
    { numRuns: 400 },
  );
});

test("a patch changes neither the document nor itself, and applies twice like once", () => {
  fc.assert(
    fc.property(anyJson, anyJson, (document, patch) => {
      const texts = JSON.stringify([document, patch]);
      const once = applyMergePatch(document, patch);
      assert.ok(equalJson(applyMergePatch(once, patch), once));
      assert.equal(JSON.stringify([document, patch]), texts);
    }),
  );
});

test("a patch cannot reach a prototype", () => {
  const patch = JSON.parse('{"__proto__":{"polluted":true}}') as Json;
  const result = applyMergePatch({}, patch);
  assert.equal(Object.getPrototypeOf(result), Object.prototype);
  assert.equal(JSON.stringify(result), '{"__proto__":{"polluted":true}}');
});

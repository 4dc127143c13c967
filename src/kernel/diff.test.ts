import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { anyJson } from "./arbitraries.ts";
import { diff, patchOf } from "./diff.ts";
import { applyJsonPatch } from "./json-patch.ts";
import { cloneJson, equalJson } from "./json.ts";
import type { Json } from "./json.ts";

test("the changes from a to b, performed as a JSON Patch on a, give b", () => {
  fc.assert(
    fc.property(anyJson, anyJson, (a, b) => {
      assert.ok(equalJson(applyJsonPatch(a, patchOf(diff(a, b))), b));
    }),
    { numRuns: 400 },
  );
});

test("an equal document has no changes", () => {
  fc.assert(fc.property(anyJson, (a) => diff(a, cloneJson(a)).length === 0));
});

test("an element inserted into a list is one change", () => {
  assert.deepEqual(diff({ list: [1, 2, 3] }, { list: [1, 9, 2, 3] }), [
    { kind: "add", path: "/list/1", new: 9 },
  ]);
  assert.deepEqual(diff([1, 2, 3], [1, 3]), [{ kind: "remove", path: "/1", old: 2 }]);
});

test("a change names its place with the old and the new value", () => {
  const before: Json = { spec: { "a/b": 1, gone: true } };
  const after: Json = { spec: { "a/b": 2, fresh: null } };
  assert.deepEqual(diff(before, after), [
    { kind: "replace", path: "/spec/a~1b", old: 1, new: 2 },
    { kind: "remove", path: "/spec/gone", old: true },
    { kind: "add", path: "/spec/fresh", new: null },
  ]);
});

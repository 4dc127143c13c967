import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { anyObject, nullFreeObject } from "./arbitraries.ts";
import { equalJson } from "./json.ts";
import type { Json, JsonObject } from "./json.ts";
import { applyMergePatch } from "./merge-patch.ts";
import { applyStrategicMergePatch } from "./strategic-merge.ts";

const text: JsonObject = { type: "string" };
const merge = { "x-kubernetes-patch-strategy": "merge" };
const byName = { ...merge, "x-kubernetes-patch-merge-key": "name" };
const schema: JsonObject = {
  type: "object",
  properties: {
    spec: {
      type: "object",
      properties: {
        containers: {
          type: "array",
          ...byName,
          items: {
            type: "object",
            properties: {
              name: text,
              image: text,
              env: { type: "array", items: { type: "object" }, ...byName },
            },
          },
        },
        volumes: {
          type: "array",
          items: { type: "object" },
          ...byName,
          "x-kubernetes-patch-strategy": "merge,retainKeys",
        },
        args: { type: "array", items: text },
        groups: { type: "array", items: text, ...merge },
        selector: { type: "object", "x-kubernetes-patch-strategy": "replace" },
        strategy: { type: "object", "x-kubernetes-patch-strategy": "retainKeys" },
      },
    },
  },
};

function patched(original: JsonObject, patch: JsonObject): Json {
  const outcome = applyStrategicMergePatch({ spec: original }, { spec: patch }, schema);
  return outcome.kind === "patched"
    ? (outcome.object["spec"] ?? null)
    : `${outcome.status} ${outcome.message}`;
}

const named = (...names: readonly string[]): Json[] => names.map((name) => ({ name }));

/** What it shows, the original, the patch, the result. */
const examples: readonly (readonly [string, JsonObject, JsonObject, Json])[] = [
  ["a null deletes", { a: 1, b: 2 }, { a: null, c: null }, { b: 2 }],
  ["a new value has no nulls", {}, { a: { b: null, c: 1 } }, { a: { c: 1 } }],
  [
    "objects of a list are merged by key, those of the patch stand first",
    { containers: [{ name: "a", image: "1" }, { name: "b" }] },
    { containers: [{ name: "c" }, { name: "a", image: "2" }] },
    { containers: [{ name: "c" }, { name: "a", image: "2" }, { name: "b" }] },
  ],
  [
    "lists inside are merged too",
    { containers: [{ name: "a", env: [{ name: "x", value: "1" }, { name: "y" }] }] },
    { containers: [{ name: "a", env: [{ name: "x", value: "2" }] }] },
    { containers: [{ name: "a", env: [{ name: "x", value: "2" }, { name: "y" }] }] },
  ],
  [
    "an item is deleted",
    { containers: named("a", "b") },
    { containers: [{ name: "a", $patch: "delete" }] },
    { containers: named("b") },
  ],
  [
    "a list is replaced",
    { containers: named("a", "b") },
    { containers: [{ $patch: "replace" }, { name: "c" }] },
    { containers: named("c") },
  ],
  ["a list without strategy is replaced", { args: ["a"] }, { args: ["b"] }, { args: ["b"] }],
  [
    "scalars are joined",
    { groups: ["a", "b"] },
    { groups: ["c", "a"] },
    { groups: ["c", "a", "b"] },
  ],
  [
    "scalars are deleted by a list beside",
    { groups: ["a", "b", "c"] },
    { "$deleteFromPrimitiveList/groups": ["a", "c"] },
    { groups: ["b"] },
  ],
  [
    "an order is obeyed, and others keep their place",
    { containers: named("a", "b", "c") },
    { "$setElementOrder/containers": named("c", "d", "a"), containers: named("d") },
    { containers: named("b", "c", "d", "a") },
  ],
  [
    "scalars are ordered",
    { groups: ["a", "b", "c"] },
    { "$setElementOrder/groups": ["c", "a"] },
    { groups: ["b", "c", "a"] },
  ],
  [
    "a map is replaced by a directive",
    { m: { a: 1 } },
    { m: { $patch: "replace", b: 2 } },
    { m: { b: 2 } },
  ],
  ["a map is emptied by a directive", { m: { a: 1 } }, { m: { $patch: "delete" } }, { m: {} }],
  ["a directive on nothing is nothing", {}, { m: { $patch: "delete" }, n: 1 }, { n: 1 }],
  [
    "a map is replaced by its strategy",
    { selector: { a: 1 } },
    { selector: { b: 2 } },
    { selector: { b: 2 } },
  ],
  [
    "keys that are not retained go",
    { strategy: { type: "Rolling", rolling: { max: 1 } } },
    { strategy: { $retainKeys: ["type"], type: "Recreate" } },
    { strategy: { type: "Recreate" } },
  ],
  ["another type takes over", { a: [1] }, { a: { b: 1 } }, { a: { b: 1 } }],
];

test("strategic merge patches do what the API reference says", () => {
  for (const [claim, original, patch, result] of examples) {
    assert.deepEqual(patched(original, patch), result, claim);
  }
});

const refusals: readonly (readonly [JsonObject, JsonObject, string])[] = [
  [{ m: {} }, { m: { $patch: "zap" } }, "500 unknown patch type: zap in map: map[$patch:zap]"],
  [
    { containers: named("a") },
    { containers: [{ image: "x" }] },
    "500 map: map[image:x] does not contain declared merge key: name",
  ],
  [
    { containers: named("a") },
    { containers: [{ $patch: "merge", name: "a" }] },
    "500 merging lists cannot yet be specified in the patch",
  ],
  [{ groups: ["a"] }, { groups: [1] }, "500 list element types are not identical: [[a] [1]]"],
  [{ groups: [["a"]] }, { groups: [["b"]] }, "422 lists of lists are not supported"],
  [{ strategy: {} }, { strategy: { $retainKeys: "x" } }, "400 invalid patch format of retainKeys"],
  [
    { strategy: {} },
    { strategy: { $retainKeys: [], a: 1 } },
    "400 invalid patch format of retainKeys",
  ],
  [{}, { $deleteFromPrimitiveList: ["a"] }, "400 invalid patch format of primitive list"],
  [{}, { $setElementOrder: ["a"] }, "400 invalid patch format of setElementOrder list"],
  [{}, { "$setElementOrder/groups": 1 }, "500 expected a []interface {}, but received a int64"],
  [
    { groups: ["a"] },
    { "$setElementOrder/groups": ["a"], groups: ["b"] },
    "500 The order in patch list:\n[b]\n doesn't match $setElementOrder list:\n[a]\n",
  ],
];

test("a malformed patch is refused in the words of the API", () => {
  for (const [original, patch, message] of refusals) {
    assert.equal(patched(original, patch), message);
  }
});

test("owner references and finalizers are merged without a schema", () => {
  const original = { metadata: { finalizers: ["a"], ownerReferences: [{ uid: "1" }] } };
  const patch = { metadata: { finalizers: ["b"], ownerReferences: [{ uid: "2" }] } };
  assert.deepEqual(applyStrategicMergePatch(original, patch, undefined), {
    kind: "patched",
    object: {
      metadata: { finalizers: ["b", "a"], ownerReferences: [{ uid: "2" }, { uid: "1" }] },
    },
  });
});

test("without strategies it is a merge patch", () => {
  fc.assert(
    fc.property(nullFreeObject, anyObject, (original, sent) => {
      const patch = withoutNulls(sent);
      const outcome = applyStrategicMergePatch({ a: original }, { a: patch }, undefined);
      assert.ok(outcome.kind === "patched");
      assert.ok(equalJson(outcome.object, applyMergePatch({ a: original }, { a: patch })));
    }),
  );
});

/** A merge patch keeps the nulls inside new lists, which a strategic one drops. */
function withoutNulls(value: JsonObject): JsonObject {
  const copy: unknown = JSON.parse(JSON.stringify(value, (_, inner: Json) => inner ?? undefined));
  return copy as JsonObject;
}

test("a patch changes no input and reaches no prototype", () => {
  fc.assert(
    fc.property(anyObject, anyObject, (original, patch) => {
      const before = JSON.stringify([original, patch]);
      applyStrategicMergePatch({ spec: original }, { spec: patch }, schema);
      assert.equal(JSON.stringify([original, patch]), before);
    }),
  );
  const hostile = JSON.parse('{"__proto__":{"polluted":true}}') as JsonObject;
  applyStrategicMergePatch({}, hostile, schema);
  assert.equal(Object.hasOwn(Object.prototype, "polluted"), false);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { anyJson } from "./arbitraries.ts";
import { checkFieldRules, secretPointers } from "./field-rules.ts";
import { nextGeneration } from "./generation.ts";
import type { Json } from "./json.ts";
import type { FieldRuleName } from "./kind.ts";
import { getAt, parsePointer } from "./pointer.ts";
import type { Resource } from "./resource.ts";

test("a create-only field is free at creation and fixed afterwards", () => {
  const kind = kindWith(["/spec/region", "create-only"]);
  assert.deepEqual(checkFieldRules(kind, undefined, { spec: { region: "eu" } }), []);
  const before: Json = { spec: { region: "eu", size: 1 } };
  assert.deepEqual(checkFieldRules(kind, before, { spec: { region: "eu", size: 2 } }), []);
  assert.deepEqual(checkFieldRules(kind, before, { spec: { region: "us" } }), [
    { path: "/spec/region", rule: "create-only", old: "eu", new: "us" },
  ]);
  assert.deepEqual(checkFieldRules(kind, before, {}), [
    { path: "/spec/region", rule: "create-only", old: "eu" },
  ]);
});

test("a read-only field must not be there at creation and must not change", () => {
  const kind = kindWith(["/spec/address", "read-only"]);
  assert.deepEqual(checkFieldRules(kind, undefined, { spec: { address: "x" } }), [
    { path: "/spec/address", rule: "read-only", new: "x" },
  ]);
  const before: Json = { spec: { address: "x" } };
  assert.deepEqual(checkFieldRules(kind, before, before), []);
  assert.equal(checkFieldRules(kind, before, { spec: { address: "y" } }).length, 1);
});

test("a star stands for every key of an object and every element of a list", () => {
  const kind = kindWith(["/spec/*/id", "create-only"]);
  const before: Json = { spec: { a: { id: 1 }, "b/c": { id: 2 }, d: 3 } };
  const after: Json = { spec: { a: { id: 1 }, "b/c": { id: 9 }, d: 4 } };
  const paths = checkFieldRules(kind, before, after).map(({ path }) => path);
  assert.deepEqual(paths, ["/spec/b~1c/id"]);
  const lists = checkFieldRules(kind, { spec: [{ id: 1 }] }, { spec: [{ id: 1 }, { id: 2 }] });
  assert.deepEqual(lists, [{ path: "/spec/1/id", rule: "create-only", new: 2 }]);
});

test("an unchanged document breaks no rule but read-only at creation", () => {
  const kind = kindWith(["/*", "create-only"], ["/a/*", "read-only"], ["/*/*/b", "create-only"]);
  fc.assert(fc.property(anyJson, (doc) => checkFieldRules(kind, doc, doc).length === 0));
});

test("every secret pointer names a value, and none lies within another", () => {
  const kind = kindWith(["/a", "secret"], ["/*/*", "secret"], ["/b/*/c", "secret"]);
  fc.assert(
    fc.property(anyJson, (document) => {
      const pointers = secretPointers(kind, document);
      for (const pointer of pointers) {
        assert.ok((getAt(document, parsePointer(pointer)) ?? null) !== null);
        const inside = pointers.filter((other) => other.startsWith(`${pointer}/`));
        assert.deepEqual(inside, []);
      }
    }),
  );
});

test("secrets are found by pattern; other rules and absent values are not secrets", () => {
  const kind = kindWith(["/spec/users/*/password", "secret"], ["/spec/token", "write-only"]);
  const document: Json = {
    spec: { token: "t", users: [{ password: "p" }, { name: "n" }, { password: null }] },
  };
  assert.deepEqual(secretPointers(kind, document), ["/spec/users/0/password"]);
  assert.deepEqual(secretPointers(kindWith(["/spec/users/length", "secret"]), document), []);
});

test("the generation starts at 1 and counts changes of intent only", () => {
  const kind = { subresources: { status: true } };
  const next = (after: Partial<Resource>): number =>
    nextGeneration(kind, resource({}), resource(after));
  assert.equal(nextGeneration(kind, undefined, resource({})), 1);
  assert.equal(next({}), 4);
  assert.equal(next({ spec: { a: 2 } }), 5);
  assert.equal(next({ data: { x: 1 } }), 5);
  assert.equal(next({ status: { ready: true } }), 4);
  assert.equal(next({ apiVersion: "v2" }), 4);
  assert.equal(next({ metadata: { ...resource({}).metadata, labels: { a: "b" } } }), 4);
});

test("without a status subresource, status counts as intent", () => {
  const kind = { subresources: { status: false } };
  assert.equal(nextGeneration(kind, resource({}), resource({ status: 1 })), 5);
});

test("a deletion raises the generation once", () => {
  const kind = { subresources: { status: true } };
  const deletionTimestamp = "2026-01-01T00:00:00Z";
  const deleted = resource({ metadata: { ...resource({}).metadata, deletionTimestamp } });
  assert.equal(nextGeneration(kind, resource({}), deleted), 5);
  assert.equal(nextGeneration(kind, deleted, deleted), 4);
});

function kindWith(...rules: readonly (readonly [string, FieldRuleName])[]) {
  return {
    fieldRules: rules.map(([path, rule]) => ({ path, rule, segments: parsePointer(path) })),
  };
}

function resource(change: Partial<Resource>): Resource {
  const metadata = { name: "n", uid: "u", generation: 4, creationTimestamp: "" };
  return { apiVersion: "v1", kind: "Widget", metadata, spec: { a: 1 }, ...change };
}

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Json, JsonObject } from "../json.ts";
import { compileSchema } from "./compile.ts";
import { prune } from "./prune.ts";

const root = { isRoot: true };

function pruned(schema: JsonObject, value: JsonObject): readonly [Json, readonly string[]] {
  const result = prune(compileSchema(schema), value, root);
  return [result.value, result.unknown];
}

const text = { type: "string" };

test("unknown fields go, with their paths in order; type and metadata of the root stay", () => {
  const schema = {
    type: "object",
    properties: {
      spec: {
        type: "object",
        properties: {
          list: { type: "array", items: { type: "object", properties: { a: text } } },
        },
      },
    },
  };
  const value = {
    apiVersion: "v1",
    kind: "X",
    metadata: { name: "a", odd: 1 },
    spec: { z: 1, list: [{ a: "", x: 1 }, { y: {} }] },
    alien: 1,
  };
  assert.deepEqual(pruned(schema, value), [
    {
      apiVersion: "v1",
      kind: "X",
      metadata: { name: "a", odd: 1 },
      spec: { list: [{ a: "" }, {}] },
    },
    ["alien", "spec.list[0].x", "spec.list[1].y", "spec.z"],
  ]);
});

test("a value that loses nothing is returned itself", () => {
  const schema = compileSchema({ type: "object", properties: { spec: text } });
  const value = { spec: "x", metadata: {} };
  assert.equal(prune(schema, value, root).value, value);
});

test("unknown content is kept where it is wanted, and pruned below what is specified", () => {
  const schema = {
    type: "object",
    properties: {
      free: {
        type: "object",
        "x-kubernetes-preserve-unknown-fields": true,
        properties: { strict: { type: "object", properties: { a: text } } },
      },
    },
  };
  assert.deepEqual(pruned(schema, { free: { any: { thing: 1 }, strict: { a: "", b: 1 } } }), [
    { free: { any: { thing: 1 }, strict: { a: "" } } },
    ["free.strict.b"],
  ]);
});

test("lists of unknown content keep what their items do not specify", () => {
  const schema = {
    type: "object",
    properties: {
      l: {
        type: "array",
        "x-kubernetes-preserve-unknown-fields": true,
        items: { type: "object", properties: { a: { type: "object" } } },
      },
    },
  };
  assert.deepEqual(pruned(schema, { l: [{ b: 1, a: { c: 1 } }] }), [
    { l: [{ b: 1, a: {} }] },
    ["l[0].a.c"],
  ]);
});

test("embedded resources keep their type and metadata", () => {
  const schema = {
    type: "object",
    properties: {
      template: {
        type: "object",
        "x-kubernetes-embedded-resource": true,
        properties: { spec: { type: "object" } },
      },
    },
  };
  const template = { apiVersion: "v1", kind: "Pod", metadata: {}, spec: { x: 1 }, y: 1 };
  assert.deepEqual(pruned(schema, { template }), [
    { template: { apiVersion: "v1", kind: "Pod", metadata: {}, spec: {} } },
    ["template.spec.x", "template.y"],
  ]);
});

test("values of a map without a schema of its values lose their fields", () => {
  const schema = {
    type: "object",
    properties: { m: { type: "object", additionalProperties: true } },
  };
  assert.deepEqual(pruned(schema, { m: { a: { b: 1 }, c: 1 } }), [
    { m: { a: {}, c: 1 } },
    ["m.a.b"],
  ]);
});

test("a field called __proto__ is pruned and kept like any other", () => {
  const value = JSON.parse('{"spec": {"__proto__": {"a": 1}, "b": 1}}') as JsonObject;
  const kept = prune(
    compileSchema({
      type: "object",
      properties: { spec: { type: "object", properties: JSON.parse('{"__proto__": {}}') as Json } },
    }),
    value,
    root,
  );
  assert.equal(JSON.stringify(kept.value), '{"spec":{"__proto__":{}}}');
  assert.deepEqual(kept.unknown, ["spec.__proto__.a", "spec.b"]);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { limits } from "../limits.ts";
import { compileSchema } from "./compile.ts";
import type { Json, JsonObject } from "../json.ts";
import { validateValue } from "./validate.ts";
import { fieldErrorText } from "../field-error-text.ts";

const spec = (properties: JsonObject, more: JsonObject = {}): JsonObject => ({
  type: "object",
  properties: { spec: { type: "object", properties, ...more } },
});

function messages(schema: JsonObject, value: Json, old?: Json): readonly string[] {
  return validateValue(compileSchema(schema), value, "", { old }).map(fieldErrorText);
}

function ofSpec(properties: JsonObject, value: JsonObject, old?: JsonObject): readonly string[] {
  return messages(spec(properties), { spec: value }, old && { spec: old });
}

test("types are named as Kubernetes names them", () => {
  assert.deepEqual(ofSpec({ size: { type: "integer" } }, { size: "x" }), [
    'spec.size: Invalid value: "string": spec.size in body must be of type integer: "string"',
  ]);
  assert.deepEqual(ofSpec({ size: { type: "integer" } }, { size: 1.5 }), [
    'spec.size: Invalid value: "number": spec.size in body must be of type integer: "number"',
  ]);
  assert.deepEqual(ofSpec({ size: { type: "string" } }, { size: null }), [
    'spec.size: Invalid value: "null": spec.size in body must be of type string: "null"',
  ]);
  assert.deepEqual(ofSpec({ port: { "x-kubernetes-int-or-string": true } }, { port: [] }), [
    'spec.port: Invalid value: "array": spec.port in body must be of type integer,string: "array"',
  ]);
  assert.deepEqual(ofSpec({ size: { type: "number" } }, { size: 1 }), []);
  assert.deepEqual(ofSpec({ size: { type: "string", nullable: true } }, { size: null }), []);
});

test("bounds of numbers", () => {
  assert.deepEqual(ofSpec({ n: { type: "integer", maximum: 10 } }, { n: 11 }), [
    "spec.n: Invalid value: 11: spec.n in body should be less than or equal to 10",
  ]);
  assert.deepEqual(
    ofSpec({ n: { type: "integer", minimum: 1, exclusiveMinimum: true } }, { n: 1 }),
    ["spec.n: Invalid value: 1: spec.n in body should be greater than 1"],
  );
  assert.deepEqual(ofSpec({ n: { type: "integer", multipleOf: 5 } }, { n: 7 }), [
    "spec.n: Invalid value: 7: spec.n in body should be a multiple of 5",
  ]);
  assert.deepEqual(ofSpec({ n: { type: "number", multipleOf: 0.1 } }, { n: 2.5 }), []);
});

test("texts are measured in characters, matched, and told when too long", () => {
  assert.deepEqual(ofSpec({ t: { type: "string", maxLength: 2 } }, { t: "abc" }), [
    "spec.t: Too long: may not be more than 2 bytes",
  ]);
  assert.deepEqual(ofSpec({ t: { type: "string", maxLength: 2 } }, { t: "🙂🙂" }), []);
  assert.deepEqual(ofSpec({ t: { type: "string", minLength: 3 } }, { t: "🙂🙂" }), [
    'spec.t: Invalid value: "🙂🙂": spec.t in body should be at least 3 chars long',
  ]);
  assert.deepEqual(ofSpec({ t: { type: "string", pattern: "^a$" } }, { t: "b" }), [
    `spec.t: Invalid value: "b": spec.t in body should match '^a$'`,
  ]);
  assert.deepEqual(ofSpec({ t: { type: "string", format: "date" } }, { t: "b" }), [
    'spec.t: Invalid value: "b": spec.t in body must be of type date: "b"',
  ]);
});

test("required fields, enums, and sizes", () => {
  assert.deepEqual(messages(spec({}, { required: ["x"] }), { spec: {} }), [
    "spec.x: Required value",
  ]);
  assert.deepEqual(messages({ type: "object", required: ["spec"] }, {}), ["spec: Required value"]);
  assert.deepEqual(
    ofSpec({ color: { type: "string", enum: ["red", "green"] } }, { color: "purple" }),
    ['spec.color: Unsupported value: "purple": supported values: "red", "green"'],
  );
  assert.deepEqual(
    ofSpec({ l: { type: "array", items: { type: "integer" }, maxItems: 1 } }, { l: [1, 2] }),
    ["spec.l: Too many: 2: must have at most 1 item"],
  );
  assert.deepEqual(
    ofSpec({ l: { type: "array", items: { type: "integer" }, minItems: 1 } }, { l: [] }),
    ["spec.l: Invalid value: 0: spec.l in body should have at least 1 items"],
  );
  assert.deepEqual(ofSpec({ m: { type: "object", maxProperties: 1 } }, { m: { a: 1, b: 2 } }), [
    "spec.m: Too many: 2: must have at most 1 item",
  ]);
});

test("items and additional properties are found by their paths", () => {
  const strings = { type: "object", additionalProperties: { type: "string" } };
  assert.deepEqual(ofSpec({ list: { type: "array", items: strings } }, { list: [{}, { a: 1 }] }), [
    'spec.list[1].a: Invalid value: "integer": spec.list[1].a in body must be of type ' +
      'string: "integer"',
  ]);
});

test("of several alternatives the closest one explains itself", () => {
  const oneOf = [{ required: ["a"] }, { required: ["b"] }];
  const schema = spec({ a: { type: "string" }, b: { type: "string" } }, { oneOf });
  assert.deepEqual(messages(schema, { spec: {} }), [
    '<nil>: Invalid value: "": "spec" must validate one and only one schema (oneOf). ' +
      "Found none valid",
    "spec.a: Required value",
  ]);
  assert.deepEqual(messages(schema, { spec: { a: "", b: "" } }), [
    '<nil>: Invalid value: "": "spec" must validate one and only one schema (oneOf). ' +
      "Found 2 valid alternatives",
  ]);
  assert.deepEqual(messages(schema, { spec: { a: "" } }), []);
});

test("allOf, anyOf and not say so", () => {
  const text = { type: "string" };
  assert.deepEqual(ofSpec({ t: { ...text, allOf: [{ minLength: 2 }] } }, { t: "x" }), [
    'spec.t: Invalid value: "x": spec.t in body should be at least 2 chars long',
    '<nil>: Invalid value: "": "spec.t" must validate all the schemas (allOf). None validated',
  ]);
  assert.deepEqual(ofSpec({ t: { ...text, anyOf: [{ enum: ["a"] }] } }, { t: "x" }), [
    '<nil>: Invalid value: "": "spec.t" must validate at least one schema (anyOf)',
    'spec.t: Unsupported value: "x": supported values: "a"',
  ]);
  assert.deepEqual(ofSpec({ t: { ...text, not: { enum: ["x"] } } }, { t: "x" }), [
    '<nil>: Invalid value: "": "spec.t" must not validate the schema (not)',
  ]);
});

test("what has not changed is forgiven, what has changed is not", () => {
  const properties = { a: { type: "string", maxLength: 1 }, b: { type: "string", maxLength: 1 } };
  assert.deepEqual(ofSpec(properties, { a: "xx", b: "yy" }, { a: "xx", b: "y" }), [
    "spec.b: Too long: may not be more than 1 byte",
  ]);
});

test("items of map lists are forgiven one by one, other lists as a whole", () => {
  const items = {
    type: "object",
    properties: { name: { type: "string" }, v: { type: "integer", maximum: 1 } },
  };
  const map = {
    type: "array",
    items,
    "x-kubernetes-list-type": "map",
    "x-kubernetes-list-map-keys": ["name"],
  };
  const old = { l: [{ name: "a", v: 5 }] };
  const now = {
    l: [
      { name: "b", v: 1 },
      { name: "a", v: 5 },
    ],
  };
  assert.deepEqual(ofSpec({ l: map }, now, old), []);
  const atomic = { type: "array", items };
  assert.deepEqual(ofSpec({ l: atomic }, now, old), [
    "spec.l[1].v: Invalid value: 5: spec.l[1].v in body should be less than or equal to 1",
  ]);
  assert.deepEqual(ofSpec({ l: atomic }, old, old), []);
});

test("a document with very many errors is answered, too", () => {
  const list = Array.from({ length: 70_000 }, () => 0);
  const item = { type: "integer", minimum: 1 };
  const schema = spec({
    l: { type: "array", anyOf: [{ items: item }], items: { type: "integer" } },
  });
  // The alternative ends at the limit, and its own problem follows.
  assert.equal(messages(schema, { spec: { l: list } }).length, limits.maxSchemaErrors + 1);
});

test("a long enum and a long list of other values do not multiply", () => {
  const values = Array.from({ length: 20_000 }, (_, index) => index);
  const schema = spec({ l: { type: "array", items: { type: "integer", enum: values } } });
  const listed = values.map(() => 19_999);
  assert.deepEqual(messages(schema, { spec: { l: listed } }), []);
  const errors = messages(schema, { spec: { l: values.map(() => -1) } });
  assert.equal(errors.length, limits.maxSchemaErrors);
  assert.ok(errors.every((error) => error.length < 2 * limits.maxShownProblemChars));
});

test("an enum lists objects and lists by their content", () => {
  const schema = spec({ e: { "x-kubernetes-preserve-unknown-fields": true, enum: [{ a: [1] }] } });
  assert.deepEqual(messages(schema, { spec: { e: { a: [1] } } }), []);
  assert.equal(messages(schema, { spec: { e: { a: [2] } } }).length, 1);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Json, JsonObject } from "../json.ts";
import { compileSchema } from "./compile.ts";
import { applyDefaults } from "./defaults.ts";

function defaulted(properties: JsonObject, value: Json): Json {
  return applyDefaults(compileSchema({ type: "object", properties }), value);
}

test("absent fields get their defaults, given ones keep their values", () => {
  const properties = { a: { type: "integer", default: 1 }, b: { type: "integer", default: 2 } };
  assert.deepEqual(defaulted(properties, { a: 5 }), { a: 5, b: 2 });
});

test("defaults are filled into defaults, but not into what is absent", () => {
  const inner = { type: "object", properties: { x: { type: "integer", default: 1 } } };
  assert.deepEqual(defaulted({ a: { ...inner, default: {} }, b: inner }, {}), { a: { x: 1 } });
});

test("a null that may not be one gives way to the default, or goes", () => {
  const properties = {
    a: { type: "integer", default: 1 },
    b: { type: "integer" },
    c: { type: "integer", nullable: true },
    d: { type: "integer", nullable: true, default: 1 },
  };
  assert.deepEqual(defaulted(properties, { a: null, b: null, c: null, d: null }), {
    a: 1,
    c: null,
    d: null,
  });
});

test("values of maps and items of lists are reached", () => {
  const thing = { type: "object", properties: { x: { type: "integer", default: 1 } } };
  const properties = {
    m: { type: "object", additionalProperties: thing },
    l: { type: "array", items: thing },
  };
  assert.deepEqual(defaulted(properties, { m: { a: {} }, l: [{}, { x: 2 }] }), {
    m: { a: { x: 1 } },
    l: [{ x: 1 }, { x: 2 }],
  });
});

test("the value that was given stays as it was, and a complete one is returned itself", () => {
  const schema = compileSchema({ type: "object", properties: { a: { default: { b: 1 } } } });
  const given = {};
  const result = applyDefaults(schema, given);
  assert.deepEqual(given, {});
  assert.deepEqual(result, { a: { b: 1 } });
  assert.equal(applyDefaults(schema, result), result);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { anyJson } from "./arbitraries.ts";
import { canonicalJson } from "./canonical-json.ts";
import { parseExact } from "./int64.ts";
import { cloneJson, equalJson, getOwn, isJsonObject, jsonProblem, setOwn } from "./json.ts";
import type { Json, JsonObject } from "./json.ts";

test("a clone is equal to its origin and shares no container with it", () => {
  fc.assert(
    fc.property(anyJson, (value) => {
      const copy = cloneJson(value);
      assert.ok(equalJson(copy, value));
      assert.equal(JSON.stringify(copy), JSON.stringify(value));
      if (typeof value === "object" && value !== null) assert.notEqual(copy, value);
    }),
  );
});

test("two values are equal exactly when their canonical texts are", () => {
  fc.assert(
    fc.property(anyJson, anyJson, (a, b) => {
      assert.equal(equalJson(a, b), canonicalJson(a) === canonicalJson(b));
    }),
  );
});

test("canonical text parses back to the same value", () => {
  fc.assert(
    fc.property(anyJson, (value) => {
      assert.ok(equalJson(parseExact(canonicalJson(value)) as Json, value));
    }),
  );
});

test("canonical text does not depend on the order of keys", () => {
  fc.assert(
    fc.property(anyJson, (value) => {
      assert.equal(canonicalJson(reversed(value)), canonicalJson(value));
    }),
  );
});

test("every JSON value passes the safety check at a sufficient depth", () => {
  fc.assert(fc.property(anyJson, (value) => jsonProblem(value, 16) === undefined));
});

test("the safety check names what JSON cannot hold", () => {
  assert.match(jsonProblem({ a: [Number.NaN] }, 8) ?? "", /not finite/);
  assert.match(jsonProblem({ a: undefined }, 8) ?? "", /undefined/);
  assert.match(jsonProblem([new Date(0)], 8) ?? "", /not plain/);
  assert.match(jsonProblem([[[1]]], 2) ?? "", /too deep/);
  assert.equal(jsonProblem([[1]], 2), undefined);
});

test("nesting that would exhaust the stack is refused instead", () => {
  let deep: Json = 1;
  for (let i = 0; i < 200_000; i++) deep = [deep];
  assert.match(jsonProblem(deep, 128) ?? "", /too deep/);
});

test("__proto__ is an ordinary own key and never reaches a prototype", () => {
  const hostile = JSON.parse('{"__proto__":{"polluted":true},"constructor":1}') as JsonObject;
  const copy = cloneJson(hostile);
  assert.equal(Object.getPrototypeOf(copy), Object.prototype);
  assert.deepEqual(getOwn(copy, "__proto__"), { polluted: true });
  assert.equal(getOwn({}, "__proto__"), undefined);
  assert.equal(getOwn({}, "constructor"), undefined);
  const target: { [key: string]: Json } = {};
  setOwn(target, "__proto__", { polluted: true });
  assert.equal(target["polluted"], undefined);
  assert.equal(JSON.stringify(target), '{"__proto__":{"polluted":true}}');
});

function reversed(value: Json): Json {
  if (Array.isArray(value)) return value.map((item: Json) => reversed(item));
  if (!isJsonObject(value)) return value;
  const result: { [key: string]: Json } = {};
  for (const [key, inner] of Object.entries(value).toReversed()) {
    setOwn(result, key, reversed(inner));
  }
  return result;
}

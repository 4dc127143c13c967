import assert from "node:assert/strict";
import { test } from "node:test";
import { setOwn } from "../json.ts";
import type { JsonObject, MutableJsonObject } from "../json.ts";
import { limits } from "../limits.ts";
import { compileSchema, compileSchemaInSlices } from "./compile.ts";

test("a node has every field, and what was not said is empty", () => {
  const schema = compileSchema({ type: "object", properties: { size: { type: "integer" } } });
  assert.equal(schema.type, "object");
  assert.equal(schema.properties.get("size")?.type, "integer");
  assert.deepEqual(Object.keys(schema), Object.keys(compileSchema({})));
  assert.equal(schema.default, undefined);
});

test("fields called like members of Object.prototype are ordinary", () => {
  const properties: MutableJsonObject = { toString: { type: "boolean" } };
  setOwn(properties, "__proto__", { type: "string" });
  const schema = compileSchema({ properties });
  assert.equal(schema.properties.get("__proto__")?.type, "string");
  assert.equal(schema.properties.get("toString")?.type, "boolean");
  assert.equal(schema.properties.get("constructor"), undefined);
});

test("a schema compiled in slices is the same, and others run in between", async () => {
  const text = { type: "string", maxLength: 5 };
  const fields = Array.from({ length: limits.schemaSliceNodes }, (_, index) => [
    `f${index}`,
    { type: "object", properties: { a: text, b: { type: "array", items: text } } },
  ]);
  const json = {
    type: "object",
    properties: {
      ...(Object.fromEntries(fields) as JsonObject),
      rich: {
        type: "object",
        additionalProperties: { type: "object", properties: { c: { ...text, default: "d" } } },
        allOf: [{ properties: { e: { minLength: 1 } } }],
        anyOf: [{ required: ["e"] }],
        oneOf: [{ not: { required: ["f"] } }],
        "x-kubernetes-validations": [{ rule: "true" }],
      },
    },
  };
  let pauses = 0;
  const compiled = await compileSchemaInSlices(json, async () => {
    pauses += 1;
  });
  assert.deepEqual(compiled, compileSchema(json));
  assert.ok(pauses >= 4, `${pauses} pauses`);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { setOwn } from "../json.ts";
import type { MutableJsonObject } from "../json.ts";
import { compileSchema } from "./compile.ts";

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

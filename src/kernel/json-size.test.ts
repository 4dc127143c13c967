import assert from "node:assert/strict";
import { test } from "node:test";
import { hasMoreValuesThan } from "./json-size.ts";

test("values are counted in objects and lists at every level", () => {
  const value = { a: 1, b: [true, null, { c: "x" }] };
  assert.equal(hasMoreValuesThan(value, 6), false);
  assert.equal(hasMoreValuesThan(value, 5), true);
  assert.equal(hasMoreValuesThan("text", 0), false);
  assert.equal(hasMoreValuesThan([], 0), false);
});

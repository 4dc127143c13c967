import assert from "node:assert/strict";
import { test } from "node:test";
import { hasWiderObject } from "./json-width.ts";

test("an object with more keys than allowed is found wherever it is", () => {
  const keys = (count: number): object =>
    Object.fromEntries(Array.from({ length: count }, (_, at) => [`k${at}`, at]));
  const many = (value: unknown): string => JSON.stringify(value);
  assert.equal(hasWiderObject(many(keys(5)), 5), false);
  assert.equal(hasWiderObject(many(keys(6)), 5), true);
  assert.equal(hasWiderObject(many([{ a: [keys(6)] }, 1]), 5), true);
  assert.equal(hasWiderObject(many(Array.from({ length: 9 }, () => keys(5))), 5), false);
  assert.equal(hasWiderObject(many({ 'a:"{': ":::::::::::::", b: "{[:" }), 5), false);
  assert.equal(hasWiderObject('{"a":1,"b', 5), false);
});

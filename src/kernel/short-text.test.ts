import assert from "node:assert/strict";
import { test } from "node:test";
import { shortText } from "./short-text.ts";

test("a text that fits is left as it is", () => {
  assert.equal(shortText("x".repeat(100), 100), "x".repeat(100));
});

test("of a longer one the beginning and the end are kept", () => {
  const short = shortText(`The value '${"x".repeat(1_000_000)}' is not even.`, 100);
  assert.equal(short.length, 100);
  assert.match(short, /^The value 'x+ \.\.\. x+' is not even\.$/);
});

test("no character is cut in two", () => {
  for (const max of [50, 51, 52, 53]) assert.ok(shortText("🙂".repeat(100), max).isWellFormed());
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { goNumber, goQuote } from "./go-text.ts";

test("numbers are written as Go writes them", () => {
  const texts = [0, 1, -1.5, 1e20, 1e21, 0.0001, 0.00001, 1.5e-7, 2 ** 60].map(goNumber);
  assert.deepEqual(texts, [
    "0",
    "1",
    "-1.5",
    "100000000000000000000",
    "1e+21",
    "0.0001",
    "1e-05",
    "1.5e-07",
    "1152921504606846976",
  ]);
});

test("texts are quoted as Go quotes them", () => {
  assert.equal(goQuote('a"b\\\n\tü🙂'), '"a\\"b\\\\\\n\\tü🙂"');
  assert.equal(
    goQuote("\u0000\u0007\b\u000b\u001f\u007f\u0085"),
    '"\\x00\\a\\b\\v\\x1f\\x7f\\u0085"',
  );
});

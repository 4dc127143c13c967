import assert from "node:assert/strict";
import { test } from "node:test";
import { regexSize } from "./regex-size.ts";

test("a counted repetition has the size of its copies", () => {
  assert.equal(regexSize("abc", 1_000), 3);
  assert.equal(regexSize("a{10}", 1_000), 10);
  assert.equal(regexSize("ab{2,30}", 1_000), 31);
  assert.equal(regexSize("(abc){10}", 1_000), 50);
  assert.equal(regexSize("(a{10}b{5,}){10}", 1_000), 170);
});

test("escapes and classes are one atom, and braces in them do not count", () => {
  assert.equal(regexSize("\\d{5}", 1_000), 5);
  assert.equal(regexSize("[a-z{9}]{5}", 1_000), 5);
  assert.equal(regexSize("[]x]{5}", 1_000), 5);
  assert.equal(regexSize("\\{9}", 1_000), 3);
  assert.equal(regexSize("a{x}", 1_000), 4);
});

test("counting ends at the limit", () => {
  assert.ok(regexSize("a{1000}".repeat(2_000), 5_000) < 7_000);
  assert.ok(regexSize("(".repeat(10_000), 5_000) <= 5_002);
});

test("what cannot be read has a size, too", () => {
  for (const pattern of ["", ")", "(", "[", "[^", "\\", "{5}", "a{5", "())(", "a{,5}"]) {
    assert.ok(Number.isFinite(regexSize(pattern, 100)), pattern);
  }
});

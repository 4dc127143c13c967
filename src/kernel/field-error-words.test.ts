import assert from "node:assert/strict";
import { test } from "node:test";
import {
  duplicateField,
  forbiddenField,
  invalidField,
  requiredField,
  tooLongField,
  tooManyItems,
  unsupportedField,
  wrongType,
} from "./field-error.ts";
import { plainWords } from "./field-error-words.ts";

test("what the write path reports about a field is worded in one style", () => {
  const subject = "spec.x";
  const words = [
    requiredField("spec.x"),
    requiredField("spec.x", "name it"),
    { ...invalidField("spec.x", "X", "should be at least 3 chars long"), subject },
    { ...wrongType("spec.x", "integer", "must be of type string"), subject },
    { ...wrongType("spec.x", "x", "must be of type date"), subject },
    unsupportedField("spec.x", "red", ["blue", "green"]),
    unsupportedField("spec.x", "red", []),
    duplicateField("spec.x", "a"),
    forbiddenField("spec.x", "may not be set"),
    tooLongField("spec.x", 63),
    tooManyItems("spec.x", 3, 2),
  ].map(plainWords);
  assert.deepEqual(words, [
    "is required",
    "is required: name it",
    "is refused: it should be at least 3 chars long, not 'X'",
    "is refused: it must be of type string, not integer",
    "is refused: it must be of type date, not 'x'",
    "is refused: it must be one of 'blue', 'green', not 'red'",
    "is refused: it cannot be 'red'",
    "is refused: it holds 'a' more than once",
    "is refused: may not be set",
    "is refused: it may not be more than 63 bytes",
    "is refused: it must have at most 2 items, not 3",
  ]);
});

test("the words of the author of a rule are shown as they are, without the value", () => {
  for (const value of [5, "a: b", true, null, { a: 1 }]) {
    const error = invalidField("spec.x", value, 'storage can "grow" but not shrink');
    assert.equal(plainWords(error), 'is refused: storage can "grow" but not shrink');
  }
  const own = { kind: "invalid", path: "spec", detail: "one of the two" } as const;
  assert.equal(plainWords(own), "is refused: one of the two");
});

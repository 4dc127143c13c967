import assert from "node:assert/strict";
import { test } from "node:test";
import {
  duplicateField,
  forbiddenField,
  invalidField,
  requiredField,
  tooLongField,
  unsupportedField,
} from "../../../kernel/field-error.ts";
import { plainWords } from "./plain-words.ts";

test("what the write path says about a field is told in one style", () => {
  const told = [
    requiredField("spec.x"),
    requiredField("spec.x", "name it"),
    invalidField("spec.x", "X", "spec.x in body should be at least 3 chars long"),
    unsupportedField("spec.x", "red", ["blue", "green"]),
    duplicateField("spec.x", "a"),
    forbiddenField("spec.x", "may not be set"),
    tooLongField("spec.x", 63),
  ].map(plainWords);
  assert.deepEqual(told, [
    "is required",
    "is required: name it",
    "is refused: it should be at least 3 chars long, not 'X'",
    "is refused: it must be one of 'blue', 'green', not 'red'",
    "is refused: it holds 'a' more than once",
    "is refused: may not be set",
    "is refused: it may not be more than 63 bytes",
  ]);
});

test("the words of the author of a rule are told as they are, without the value", () => {
  for (const value of [5, "a: b", true, null]) {
    const error = invalidField("spec.x", value, 'storage can "grow" but not shrink');
    assert.equal(plainWords(error), 'is refused: storage can "grow" but not shrink');
  }
  // Objects are not repeated in the first place.
  const message = "Invalid value: one of the two";
  assert.equal(plainWords({ field: "spec", message }), "is refused: one of the two");
});

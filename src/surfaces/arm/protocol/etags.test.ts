import assert from "node:assert/strict";
import { test } from "node:test";
import { checkConditions, isUnchanged } from "./etags.ts";

test("an unmet condition is told with the present ETag as the header has it", () => {
  assert.throws(() => checkConditions({ "if-match": '"1"' }, 7), {
    message: `The condition 'If-Match: "1"' is not met: the current ETag is "7".`,
  });
  assert.throws(() => checkConditions({ "if-none-match": "*" }, 7), {
    message: `The condition 'If-None-Match: *' is not met: the current ETag is "7".`,
  });
  assert.throws(() => checkConditions({ "if-match": "*" }, undefined), {
    message: "The condition 'If-Match: *' is not met: the resource does not exist.",
  });
});

test("a weak tag guards no change, and is good enough for who wants no copy", () => {
  checkConditions({ "if-match": '"7"' }, 7);
  assert.throws(() => checkConditions({ "if-match": 'W/"7"' }, 7), { code: "resource.conflict" });
  assert.throws(() => checkConditions({ "if-none-match": 'W/"7"' }, 7), {
    code: "resource.conflict",
  });
  assert.equal(isUnchanged({ "if-none-match": 'W/"7"' }, 7), true);
});

test("one of several tags is enough", () => {
  checkConditions({ "if-match": '"1", "7"' }, 7);
  assert.throws(() => checkConditions({ "if-none-match": '"1", "7"' }, 7));
  assert.equal(isUnchanged({ "if-none-match": '"1","7"' }, 7), true);
  assert.equal(isUnchanged({ "if-none-match": '"1","17"' }, 7), false);
});

test("a star among tags is refused, whatever is stored, and saves no reader a copy", () => {
  for (const revision of [7, undefined]) {
    for (const header of ["if-match", "if-none-match"]) {
      for (const value of ['"1", *', '*,"1"', "*, *"]) {
        assert.throws(
          () => checkConditions({ [header]: value }, revision),
          (error: { readonly details?: unknown }) =>
            (error.details as { readonly statusCode: number }).statusCode === 400,
        );
      }
    }
  }
  assert.equal(isUnchanged({ "if-none-match": "*" }, 7), false);
  assert.equal(isUnchanged({ "if-none-match": '"1", *' }, 7), false);
});

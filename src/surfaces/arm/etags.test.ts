import assert from "node:assert/strict";
import { test } from "node:test";
import { checkConditions } from "./etags.ts";

test("an unmet condition is told with the present ETag as the header has it", () => {
  assert.throws(() => checkConditions({ "if-match": '"1"' }, 7), {
    message: `The condition 'If-Match: "1"' is not met: the present ETag is "7".`,
  });
  assert.throws(() => checkConditions({ "if-none-match": "*" }, 7), {
    message: `The condition 'If-None-Match: *' is not met: the present ETag is "7".`,
  });
  assert.throws(() => checkConditions({ "if-match": "*" }, undefined), {
    message: "The condition 'If-Match: *' is not met: there is no such resource.",
  });
});

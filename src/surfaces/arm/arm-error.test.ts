import assert from "node:assert/strict";
import { test } from "node:test";
import { ArmActionRefused } from "../../kernel/arm-face.ts";
import { armErrorAnswer } from "./arm-error.ts";

test("an action that refuses is told with its own code, other errors tell nothing", () => {
  assert.deepEqual(armErrorAnswer(new ArmActionRefused("NotYet", 'not "yet"')), {
    status: 409,
    body: { error: { code: "NotYet", message: "Not 'yet'." } },
  });
  assert.deepEqual(armErrorAnswer(new Error("the password is x")), {
    status: 500,
    body: { error: { code: "InternalServerError", message: "Internal server error." } },
  });
});

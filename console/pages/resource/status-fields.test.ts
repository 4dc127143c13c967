import assert from "node:assert/strict";
import { test } from "node:test";
import { leavesOf } from "./status-fields.ts";

test("every field of a document is a line with its path", () => {
  const value = { phase: "Ready", list: [{ a: 1 }, "x"], empty: {}, "a.b/c": true };
  assert.deepEqual(
    leavesOf(value).map(({ path, text }) => `${path}=${text}`),
    ["phase=Ready", "list[0].a=1", "list[1]=x", "empty={}", '["a.b/c"]=true'],
  );
  assert.deepEqual(leavesOf(undefined), []);
});

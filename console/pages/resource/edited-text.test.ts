import assert from "node:assert/strict";
import { test } from "node:test";
import { editedText, revisionOf } from "./edited-text.ts";

const yaml = `kind: Database
metadata:
  managedFields:
    - manager: x
  resourceVersion: "7"
spec:
  text: ${"long ".repeat(40).trim()}
status:
  ready: true
`;

test("the editor shows no managed fields, and a status only where a write changes it", () => {
  const shown = editedText(yaml, { hasStatus: true });
  assert.ok(!shown.includes("managedFields") && !shown.includes("status"));
  assert.match(shown, /text: (?:long ){39}long\n/);
  assert.match(editedText(yaml, { hasStatus: false }), /status:\n {2}ready: true/);
  assert.equal(revisionOf(yaml), "7");
  assert.equal(revisionOf("{}"), undefined);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { fieldText, planSentence } from "./plan-text.ts";

test("a plan is summarised by what it adds, changes and destroys", () => {
  assert.equal(planSentence({ phase: "Ready", add: 2, remove: 1 }), "2 to add, 1 to destroy");
  assert.equal(planSentence({ phase: "Ready" }), "Nothing to change");
  assert.equal(planSentence({ phase: "Pending" }), "The plan is being made");
});

test("a planned field shows its values, but never those of a secret", () => {
  assert.equal(fieldText({ path: "a", before: "1", after: "2" }), "1 becomes 2");
  assert.equal(fieldText({ path: "a", after: { b: 1 } }), 'is set to {"b":1}');
  assert.equal(fieldText({ path: "a", before: true }), "is removed; it was true");
  assert.equal(fieldText({ path: "a", deferred: "known after b" }), "known after b");
  assert.equal(fieldText({ path: "a", hidden: true }), "changes; its values are secret");
});

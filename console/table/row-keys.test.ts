import assert from "node:assert/strict";
import { test } from "node:test";
import { rowKeys } from "./row-keys.ts";

const row = { tagName: "TR" } as unknown as EventTarget;
const field = { tagName: "INPUT" } as unknown as EventTarget;
const press = (key: string, target = row) => ({
  key,
  target,
  ctrlKey: false,
  metaKey: false,
  altKey: false,
});

test("keys move within the table, open a row and select it", () => {
  const at = { active: 3, count: 5 };
  assert.deepEqual(rowKeys(press("j"), at), { kind: "move", row: 4 });
  assert.deepEqual(rowKeys(press("ArrowDown"), { active: 4, count: 5 }), { kind: "move", row: 4 });
  assert.deepEqual(rowKeys(press("k"), { active: 0, count: 5 }), { kind: "move", row: 0 });
  assert.deepEqual(rowKeys(press("Enter"), at), { kind: "open", row: 3 });
  assert.deepEqual(rowKeys(press(" "), at), { kind: "select", row: 3 });
});

test("typing in a field, and an empty table, move nothing", () => {
  assert.equal(rowKeys(press("j", field), { active: 0, count: 5 }), undefined);
  assert.equal(rowKeys(press("j"), { active: -1, count: 0 }), undefined);
  assert.equal(rowKeys({ ...press("j"), ctrlKey: true }, { active: 0, count: 5 }), undefined);
});

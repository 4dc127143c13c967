import assert from "node:assert/strict";
import { test } from "node:test";
import { mergeText } from "./merge-text.ts";

const base = 'metadata:\n  resourceVersion: "1"\nspec:\n  size: 1\n  name: a\n  old: x\n';

test("the changes of the user are applied to the newer revision", () => {
  const mine = base.replace("size: 1", "size: 2").replace("  old: x\n", "  added:\n    b: 1\n");
  const theirs = base.replace('"1"', '"2"').replace("name: a", "name: b # theirs");
  const { text, conflicts } = mergeText(base, mine, theirs);
  assert.deepEqual(conflicts, []);
  assert.equal(
    text,
    'metadata:\n  resourceVersion: "2"\nspec:\n  size: 2\n  name: b # theirs\n  added:\n    b: 1\n',
  );
});

test("a field that both changed keeps the value of the user, and is reported", () => {
  const merged = mergeText(
    base,
    base.replace("size: 1", "size: 2"),
    base.replace("size: 1", "size: 3"),
  );
  assert.deepEqual(merged.conflicts, ["spec.size"]);
  assert.match(merged.text, /size: 2/);
});

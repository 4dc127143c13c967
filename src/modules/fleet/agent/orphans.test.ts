import assert from "node:assert/strict";
import { test } from "node:test";
import { Orphans } from "./orphans.ts";

test("an orphan is removed after two lists without it", () => {
  const orphans = new Orphans();
  const desired = new Set(["a"]);
  assert.equal(orphans.listed(["a", "b"], desired), 0);
  assert.deepEqual([...orphans.confirmed], []);
  orphans.listed(["a", "b", "c"], desired);
  assert.deepEqual([...orphans.confirmed], ["b"]);
  orphans.removed("b");
  orphans.listed(["a", "c"], desired);
  assert.deepEqual([...orphans.confirmed], ["c"]);
});

test("an instance that is listed again is not an orphan", () => {
  const orphans = new Orphans();
  orphans.listed(["a"], new Set());
  orphans.listed(["a"], new Set(["a"]));
  orphans.listed(["a"], new Set());
  assert.deepEqual([...orphans.confirmed], []);
});

test("many orphans at once are kept", () => {
  const orphans = new Orphans();
  const all = Array.from({ length: 20 }, (_, at) => `i${at}`);
  assert.equal(orphans.listed(all, new Set()), 0);
  assert.equal(orphans.listed(all, new Set()), 20);
  assert.deepEqual([...orphans.confirmed], []);
  const few = all.slice(0, 5);
  assert.equal(orphans.listed(few, new Set()), 0);
  assert.equal(orphans.confirmed.size, 5);
});

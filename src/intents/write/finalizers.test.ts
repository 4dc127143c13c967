import assert from "node:assert/strict";
import { test } from "node:test";
import { finalizersFor } from "./finalizers.ts";

test("a way of deleting replaces the other way, and leaves the rest", () => {
  assert.deepEqual(finalizersFor(["a.b/c"], "Foreground"), ["a.b/c", "foregroundDeletion"]);
  assert.deepEqual(finalizersFor(["orphan", "a.b/c"], "Foreground"), [
    "a.b/c",
    "foregroundDeletion",
  ]);
  assert.deepEqual(finalizersFor(["foregroundDeletion"], "Orphan"), ["orphan"]);
  assert.deepEqual(finalizersFor(["orphan", "a.b/c"], "Background"), ["a.b/c"]);
});

test("without a way, and with the one that is there, nothing changes", () => {
  assert.deepEqual(finalizersFor(["orphan"], undefined), ["orphan"]);
  const standing = ["orphan", "a.b/c"];
  assert.equal(finalizersFor(standing, "Orphan"), standing);
});

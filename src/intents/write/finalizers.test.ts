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

test("waiting for what is inside goes with every other way, and stays", () => {
  assert.deepEqual(finalizersFor(["orphan"], "Nested"), ["orphan", "setpoint.dev/nested"]);
  const standing = ["setpoint.dev/nested", "a.b/c"];
  assert.equal(finalizersFor(standing, "Nested"), standing);
  assert.deepEqual(finalizersFor(standing, "Background"), standing);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { yamlPlace } from "./yaml-place.ts";

test("the path of a field follows from the indentation", () => {
  assert.deepEqual(yamlPlace("kind: A\nspec:\n  eng"), {
    path: ["spec"],
    field: undefined,
    written: "eng",
  });
  assert.deepEqual(yamlPlace("kind: A\nspec:\n  template:\n    x: 1\n  e").path, ["spec"]);
  assert.deepEqual(yamlPlace("ki").path, []);
});

test("after the colon, the value of the field is written", () => {
  assert.deepEqual(yamlPlace("spec:\n  engine: po"), {
    path: ["spec"],
    field: "engine",
    written: "po",
  });
  assert.equal(yamlPlace('spec:\n  "a.b/c": x').field, "a.b/c");
});

test("an item of a list is one step of the path, indented or not", () => {
  assert.deepEqual(yamlPlace("spec:\n  disks:\n    - size: 1\n      na").path, [
    "spec",
    "disks",
    0,
  ]);
  assert.deepEqual(yamlPlace("spec:\n  disks:\n  - na").path, ["spec", "disks", 0]);
  assert.deepEqual(yamlPlace("spec:\n  disks:\n  - size: 1\n    inner:\n      x").path, [
    "spec",
    "disks",
    0,
    "inner",
  ]);
});

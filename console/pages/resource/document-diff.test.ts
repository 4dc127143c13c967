import assert from "node:assert/strict";
import { test } from "node:test";
import { documentDiff } from "./document-diff.ts";

test("changed, added and removed fields are found, and those of the server are left out", () => {
  const before = {
    metadata: { resourceVersion: "1", generation: 1, labels: { "a/b": "x" } },
    spec: { size: 1, list: [1, 2], gone: true },
    status: { phase: "Old" },
  };
  const after = {
    metadata: { resourceVersion: "2", generation: 2, labels: { "a/b": "y" } },
    spec: { size: 2, list: [1, 2, 3], more: { x: 1 } },
    status: { phase: "New" },
  };
  assert.deepEqual(documentDiff(before, after), [
    { kind: "replace", path: "/metadata/labels/a~1b", old: "x", new: "y" },
    { kind: "replace", path: "/spec/size", old: 1, new: 2 },
    { kind: "replace", path: "/spec/list", old: [1, 2], new: [1, 2, 3] },
    { kind: "remove", path: "/spec/gone", old: true },
    { kind: "add", path: "/spec/more", new: { x: 1 } },
  ]);
  assert.deepEqual(documentDiff(before, before), []);
});

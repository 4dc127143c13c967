import assert from "node:assert/strict";
import { test } from "node:test";
import { compareVersions } from "./version-priority.ts";

test("versions are ordered as Kubernetes orders them, whatever order they come in", () => {
  const expected = [
    "v10",
    "v2",
    "v1",
    "v11beta2",
    "v10beta3",
    "v3beta1",
    "v12alpha1",
    "v11alpha2",
    "foo1",
    "foo10",
  ];
  assert.deepEqual(expected.toReversed().toSorted(compareVersions), expected);
  assert.deepEqual(expected.toSorted().toSorted(compareVersions), expected);
});

test("a version equals itself", () => {
  assert.equal(compareVersions("v1beta1", "v1beta1"), 0);
  assert.equal(compareVersions("foo", "foo"), 0);
});

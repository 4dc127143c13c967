import assert from "node:assert/strict";
import { test } from "node:test";
import { fieldPath, parseText } from "./yaml-fields.ts";

const text = `apiVersion: v1
spec:
  replicas: 9
  containers:
    - image: a
    - image: b
`;

test("a field is found at its line, and a missing one at the part above it", () => {
  const { spotOf } = parseText(text);
  const lineOf = (field: string): number => spotOf(fieldPath(field)).line;
  assert.equal(lineOf("spec.replicas"), 3);
  assert.equal(lineOf("spec.containers[1].image"), 6);
  assert.equal(lineOf("spec.containers[1]"), 6);
  assert.equal(lineOf("spec.missing.deeper"), 2);
  assert.equal(lineOf("nothing"), 1);
});

test("a text that is not YAML has its problem and no value", () => {
  const { problems, value } = parseText("a: [1\nb: 2");
  assert.equal(value, undefined);
  assert.ok((problems[0]?.line ?? 0) >= 1);
});

test("names with dots are quoted in brackets", () => {
  assert.deepEqual(fieldPath('metadata.annotations["a.b/c"]'), [
    "metadata",
    "annotations",
    "a.b/c",
  ]);
  assert.deepEqual(fieldPath("spec.ports[2].name"), ["spec", "ports", 2, "name"]);
  assert.deepEqual(fieldPath("metadata.labels[team]"), ["metadata", "labels", "team"]);
});

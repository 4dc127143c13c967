import assert from "node:assert/strict";
import { test } from "node:test";
import type { Resource } from "../../kernel/resource.ts";
import { finalizerWarnings } from "./warnings.ts";

const held = (...finalizers: readonly string[]): Resource =>
  ({ apiVersion: "v1", kind: "X", metadata: { name: "x", finalizers } }) as unknown as Resource;
const end = "to avoid accidental conflicts with other finalizer writers";

test("a finalizer without a domain is warned of", () => {
  assert.deepEqual(finalizerWarnings(held("abc"), undefined), [
    `metadata.finalizers: "abc": prefer a domain-qualified finalizer name ${end}`,
  ]);
  assert.deepEqual(finalizerWarnings(held("a.dev"), undefined), [
    'metadata.finalizers: "a.dev": prefer a domain-qualified finalizer name ' +
      `including a path (/) ${end}`,
  ]);
});

test("standard, qualified and old finalizers are not", () => {
  assert.deepEqual(finalizerWarnings(held("orphan", "a.dev/b"), undefined), []);
  assert.deepEqual(finalizerWarnings(held("abc"), held("abc")), []);
});

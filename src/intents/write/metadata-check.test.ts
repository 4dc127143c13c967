import assert from "node:assert/strict";
import { test } from "node:test";
import { limits } from "../../kernel/limits.ts";
import type { Metadata } from "../../kernel/resource.ts";
import { coreFinalizerErrors, metadataErrors, resourceNameProblems } from "./metadata-check.ts";
import { fieldErrorText } from "../../kernel/field-error-text.ts";

function messages(metadata: object): readonly string[] {
  const checked = { name: "x", namespace: "default", ...metadata } as unknown as Metadata;
  const rules = { isNamespaced: true, nameProblems: resourceNameProblems };
  return metadataErrors(checked, rules).map(fieldErrorText);
}

function labels(count: number, prefix = "k"): object {
  return Object.fromEntries(Array.from({ length: count }, (_, i) => [`${prefix}${i}`, "v"]));
}

const owners = (count: number) =>
  Array.from({ length: count }, (_, i) => ({
    apiVersion: "v1",
    kind: "ConfigMap",
    name: `n${i}`,
    uid: `u${i}`,
    controller: true,
  }));

test("labels, owners and finalizers are counted before they are looked at", () => {
  assert.deepEqual(messages({ labels: labels(limits.maxLabels) }), []);
  assert.deepEqual(messages({ labels: labels(1_001) }), [
    "metadata.labels: Too many: 1001: must have at most 1000 items",
  ]);
  assert.deepEqual(messages({ ownerReferences: owners(20_000) }), [
    "metadata.ownerReferences: Too many: 20000: must have at most 1000 items",
  ]);
  const finalizers = Array.from({ length: 100_000 }, () => "bad finalizer");
  assert.deepEqual(messages({ finalizers }), [
    "metadata.finalizers: Too many: 100000: must have at most 1000 items",
  ]);
  assert.deepEqual(coreFinalizerErrors({ finalizers } as unknown as Metadata), []);
});

test("the largest resource has room for all its terms in the index", () => {
  const { maxLabels, maxOwnerReferences, maxSelectableFields, maxTerms } = limits;
  assert.ok(maxLabels + maxOwnerReferences + maxSelectableFields <= maxTerms);
});

test("very many bad annotations and controllers are judged in linear time", () => {
  const before = process.cpuUsage();
  assert.equal(messages({ annotations: labels(20_000, "bad key ") }).length, 20_001);
  assert.equal(messages({ ownerReferences: owners(limits.maxOwnerReferences) }).length, 999);
  assert.ok(process.cpuUsage(before).user < 10_000_000);
});

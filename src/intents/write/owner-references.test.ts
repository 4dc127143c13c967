import assert from "node:assert/strict";
import { test } from "node:test";
import type { OwnerReference, Resource } from "../../kernel/resource.ts";
import { withDistinctOwners } from "./owner-references.ts";

const owner = (uid: string, name = "n"): OwnerReference => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  name,
  uid,
});

function distinct(owners: readonly OwnerReference[]): {
  readonly owners: readonly OwnerReference[] | undefined;
  readonly warnings: readonly string[];
} {
  const warnings: string[] = [];
  const caller = {
    user: { name: "u", groups: [], extra: {} },
    surface: "kube",
    warn: (text: string): void => void warnings.push(text),
  };
  const metadata = { name: "x", ownerReferences: owners };
  const resource = { apiVersion: "v1", kind: "X", metadata } as unknown as Resource;
  return { owners: withDistinctOwners(caller, resource, false).metadata.ownerReferences, warnings };
}

test("an owner named twice is kept once, with a warning that names it", () => {
  const { owners, warnings } = distinct([owner("a"), owner("b"), owner("a")]);
  assert.deepEqual(owners, [owner("a"), owner("b")]);
  assert.equal(warnings.length, 1);
  assert.match(warnings[0] ?? "", /duplicate UID\(s\) observed: a$/);
});

test("owners that only share their uid are both kept", () => {
  const owners = [owner("a", "x"), owner("a", "y")];
  assert.deepEqual(distinct(owners), { owners, warnings: [] });
});

test("very many owners are compared in linear time", () => {
  const many = Array.from({ length: 40_000 }, (_, i) => owner("a", `n${i % 20_000}`));
  const before = process.cpuUsage();
  assert.equal(distinct(many).owners?.length, 20_000);
  assert.ok(process.cpuUsage(before).user < 5_000_000);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { ownedTree } from "./children.ts";
import type { OwnedNode } from "./children.ts";
import type { Resource } from "../api/types.ts";

function resource(uid: string, ...owners: readonly string[]): Resource {
  const ownerReferences = owners.map((owner) => ({
    apiVersion: "v1",
    kind: "ConfigMap",
    name: owner,
    uid: owner,
  }));
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { name: uid, uid, ownerReferences } };
}

function names(nodes: readonly OwnedNode[]): unknown {
  return nodes.map(({ resource: { metadata }, owned }) => [metadata.name, names(owned)]);
}

test("what a resource owns is a tree of all levels", () => {
  const all = [resource("c", "b"), resource("b", "a"), resource("d", "a"), resource("x", "y")];
  assert.deepEqual(names(ownedTree("a", all)), [
    ["b", [["c", []]]],
    ["d", []],
  ]);
});

test("resources that own each other, or have two owners, are in the tree once", () => {
  const all = [resource("b", "a"), resource("a", "b"), resource("c", "a", "b")];
  assert.deepEqual(names(ownedTree("a", all)), [["b", [["c", []]]]]);
});

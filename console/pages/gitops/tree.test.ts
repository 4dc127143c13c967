import assert from "node:assert/strict";
import { test } from "node:test";
import type { SeenObject } from "../../api/gitops.ts";
import { isOpenAtFirst, treeNote, treeOf } from "./tree.ts";

function object(kind: string, name: string, more: Partial<SeenObject> = {}): SeenObject {
  return { group: "", version: "v1", kind, namespace: "jane", name, status: "Synced", ...more };
}

const degraded = { health: { status: "Degraded", message: "it crashes" } };

test("objects are grouped by kind, and groups with problems come first", () => {
  const groups = treeOf([
    object("ConfigMap", "b"),
    object("ConfigMap", "a"),
    object("Secret", "s", { status: "OutOfSync" }),
    object("Job", "j1"),
    object("Job", "j2", degraded),
  ]);
  assert.deepEqual(
    groups.map(({ kind, text }) => `${kind}: ${text}`),
    ["Job: 1 of 2 Degraded", "Secret: Out of sync", "ConfigMap: 2, all Synced"],
  );
  assert.deepEqual(
    groups[0]?.objects.map((each) => each.object.name),
    ["j2", "j1"],
  );
  assert.deepEqual(
    groups[2]?.objects.map((each) => each.object.name),
    ["a", "b"],
  );
});

test("large groups without a problem are closed at first", () => {
  const many = Array.from({ length: 5 }, (_, at) => object("ConfigMap", `c${at}`));
  assert.deepEqual(treeOf(many).map(isOpenAtFirst), [false]);
  assert.deepEqual(treeOf(many.slice(1)).map(isOpenAtFirst), [true]);
  assert.deepEqual(treeOf([...many, object("ConfigMap", "x", degraded)]).map(isOpenAtFirst), [
    true,
  ]);
});

test("kinds of two groups with the same name are two groups", () => {
  const groups = treeOf([object("Service", "a"), object("Service", "b", { group: "example.dev" })]);
  assert.equal(groups.length, 2);
});

test("the note of a tree states what is not listed", () => {
  assert.equal(treeNote(1, 0), "1 object");
  assert.equal(treeNote(200, 41), "200 objects, and 41 more that are not listed");
});

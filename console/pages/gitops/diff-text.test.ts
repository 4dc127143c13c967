import assert from "node:assert/strict";
import { test } from "node:test";
import { diffHeadline, pointerOf, valueOf } from "./diff-text.ts";

const diff = { revision: "", ref: "", isSynced: false, problems: [] };
const object = { changes: [], isHidden: false };
const prune = { isHeld: false };

test("the headline of a diff counts what a sync does", () => {
  const objects = [
    { ...object, action: "create" as const },
    { ...object, action: "update" as const },
    { ...object, action: "update" as const },
  ];
  const prunes = [
    { ...prune, isSkipped: false },
    { ...prune, isSkipped: true },
  ];
  assert.equal(
    diffHeadline({ ...diff, objects, prunes }),
    "A sync creates 1 object, changes 2 objects, deletes 1 object.",
  );
  assert.equal(diffHeadline({ ...diff, objects: [], prunes: [] }), "");
});

test("paths of the server are read with indexes and quoted names", () => {
  assert.equal(pointerOf("spec.containers[0].image"), "/spec/containers/0/image");
  assert.equal(pointerOf('metadata.labels["a.b/c\\"d~"]'), '/metadata/labels/a.b~1c"d~0');
});

test("a value is shown as it is, and a shortened one as a text", () => {
  assert.equal(valueOf('"blue"'), "blue");
  assert.deepEqual(valueOf('{"a":1}'), { a: 1 });
  assert.equal(valueOf('{"a":…'), '{"a":…');
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { compileExpression } from "./environment.ts";
import { dynType } from "./types.ts";

function readsIn(source: string): readonly string[] {
  const variables = { resources: dynType, parameters: dynType };
  const compiled = compileExpression(source, { variables });
  assert.ok(compiled.kind === "compiled", JSON.stringify(compiled));
  return compiled.program
    .reads()
    .map((path) => path.join("."))
    .toSorted();
}

test("an expression reads the longest paths from its variables", () => {
  assert.deepEqual(readsIn('resources.db.outputs.host + ":" + string(parameters.port)'), [
    "parameters.port",
    "resources.db.outputs.host",
  ]);
  assert.deepEqual(readsIn('resources["my-db"].outputs["a"]'), ["resources.my-db.outputs.a"]);
  assert.deepEqual(readsIn("resources.web[0].outputs.x"), ["resources.web.0.outputs.x"]);
  assert.deepEqual(readsIn("has(resources.db.outputs.x) ? 1 : 2"), ["resources.db.outputs.x"]);
  assert.deepEqual(readsIn("resources.?db.outputs"), ["resources.db.outputs"]);
  assert.deepEqual(readsIn("1 + 2"), []);
});

test("a computed index is read as any, and the index is read too", () => {
  assert.deepEqual(readsIn("resources[parameters.which].outputs.x"), [
    "parameters.which",
    "resources.*.outputs.x",
  ]);
});

test("the variable of a loop stands for the items of its range", () => {
  assert.deepEqual(readsIn("resources.web.map(w, w.outputs.host)"), [
    "resources.web.*.outputs.host",
  ]);
  assert.deepEqual(readsIn("resources.web.map(w, 1)"), ["resources.web"]);
  assert.deepEqual(readsIn("resources.web.filter(w, w.outputs.up).map(w, w.outputs.host)"), [
    "resources.web.*",
    "resources.web.*.outputs.up",
  ]);
  assert.deepEqual(readsIn('[{"x": 1}].map(resources, resources.x)'), []);
});

test("a loop over items that ignores them reads the range even if it reads other parts", () => {
  assert.deepEqual(readsIn("resources.web.map(w, parameters.a)"), [
    "parameters.a",
    "resources.web",
  ]);
});

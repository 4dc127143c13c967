import assert from "node:assert/strict";
import { test } from "node:test";
import { WakeSet } from "./wakes.ts";

test("namespaces take turns, and each resource is woken once", () => {
  const wakes = new WakeSet();
  const kind = "widgets.test";
  for (const name of ["1", "2", "3", "2"]) wakes.add({ kind, namespace: "many", name }, name);
  wakes.add({ kind, namespace: "few", name: "1" }, "1");
  const order = wakes.writes().map(({ key }) => `${key.namespace}/${key.name}`);
  assert.deepEqual(order, ["many/1", "few/1", "many/2", "many/3"]);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { ownerGraph } from "./owner-graph.ts";

const one = { kind: "configmaps", namespace: "a", name: "one" };
const two = { kind: "configmaps", namespace: "a", name: "two" };

test("dependents are found by the uid of each of their owners", () => {
  const graph = ownerGraph();
  graph.put(one, ["u", "v"]);
  graph.put(two, ["v"]);
  assert.deepEqual(graph.dependentsOf("u"), [one]);
  assert.deepEqual(graph.dependentsOf("v"), [one, two]);
  assert.deepEqual(graph.dependentsOf("w"), []);
});

test("newer owners replace the older ones, and none removes the resource", () => {
  const graph = ownerGraph();
  graph.put(one, ["u", "v"]);
  graph.put(one, ["w"]);
  assert.deepEqual(graph.dependentsOf("u"), []);
  assert.deepEqual(graph.dependentsOf("w"), [one]);
  graph.put(one, []);
  assert.deepEqual(graph.dependentsOf("w"), []);
  graph.put(two, ["u"]);
  graph.remove(two);
  assert.deepEqual(graph.dependentsOf("u"), []);
});

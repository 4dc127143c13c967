import assert from "node:assert/strict";
import { test } from "node:test";
import { nextNode } from "./graph-keys.ts";
import { curve, layoutOf } from "./layout.ts";

const graph = {
  nodes: ["web", "db", "net", "dns"],
  edges: [
    { from: "web", to: "db" },
    { from: "db", to: "net" },
    { from: "web", to: "dns" },
    { from: "web", to: "elsewhere" },
  ],
};

test("dependencies are at the left of what needs them", () => {
  const { places, lines } = layoutOf(graph);
  const x = (id: string): number => places[id]?.x ?? Number.NaN;
  assert.ok(x("net") < x("db") && x("db") < x("web") && x("dns") < x("web"));
  assert.equal(lines.length, 3, "an edge to an unknown node is left out");
});

test("the layout does not depend on the order of nodes and edges", () => {
  const turned = { nodes: graph.nodes.toReversed(), edges: graph.edges.toReversed() };
  assert.deepEqual(layoutOf(turned).places, layoutOf(graph).places);
});

test("arrow keys follow edges, and n leads from problem to problem", () => {
  const layout = layoutOf(graph);
  const from = (current: string, key: string): string | undefined =>
    nextNode(key, { layout, current, problems: ["db", "web"] });
  assert.equal(from("net", "ArrowRight"), "db");
  assert.equal(from("db", "ArrowRight"), "web");
  assert.equal(from("db", "ArrowLeft"), "net");
  assert.equal(from("net", "ArrowLeft"), undefined);
  assert.equal(from("net", "n"), "db");
  assert.equal(from("db", "n"), "web");
  assert.equal(from("web", "n"), "db");
  assert.equal(from("web", "x"), undefined);
});

test("a line of two points is straight, and one of more is smooth", () => {
  const points = [
    { x: 0, y: 0 },
    { x: 10, y: 0 },
    { x: 20, y: 10 },
  ];
  assert.equal(curve(points.slice(0, 2)), "M0 0 L10 0");
  assert.equal(curve(points), "M0 0 Q10 0 20 10");
  assert.equal(curve([]), "");
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { shownNodes } from "./shown-nodes.ts";

const node = (id: string, state: string) => ({ id, type: "resource", name: id, state }) as const;
const graph = {
  revision: 1,
  nodes: [node("a", "Ready"), node("b", "Failed"), node("c", "Waiting"), node("d", "Ready")],
  edges: [
    { from: "b", to: "d" },
    { from: "c", to: "b" },
  ],
};
const ids = (shown: ReturnType<typeof shownNodes>) => shown.nodes.map(({ id }) => id);

test("a graph shows problems first, and all nodes when there are few", () => {
  assert.deepEqual(ids(shownNodes(graph, false)), ["b", "c", "d", "a"]);
  assert.equal(shownNodes(graph, false).isCut, false);
});

test("only problems includes what they need and what waits for them", () => {
  assert.deepEqual(ids(shownNodes(graph, true)), ["b", "c", "d"]);
});

test("a large graph is cut after the problems", () => {
  const cut = shownNodes(graph, false, 2);
  assert.deepEqual(ids(cut), ["b", "c"]);
  assert.equal(cut.isCut, true);
});

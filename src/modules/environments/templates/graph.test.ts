import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { cycleIn, layersOf, withDependants } from "./graph.ts";
import type { Graph } from "./graph.ts";

/** Edges lead to any node, so that some graphs have cycles. */
const anyGraph: fc.Arbitrary<Graph> = fc
  .array(fc.array(fc.nat(11), { maxLength: 4 }), { minLength: 1, maxLength: 12 })
  .map((nodes) => {
    const count = nodes.length;
    return new Map(nodes.map((needed, at) => [`n${at}`, needed.map((n) => `n${n % count}`)]));
  });

test("a graph has either a cycle of its own edges or layers with all nodes", () => {
  fc.assert(
    fc.property(anyGraph, (graph) => {
      const cycle = cycleIn(graph);
      const layers = layersOf(graph);
      if (cycle === undefined) {
        assert.equal(layers.flat().length, graph.size);
        return;
      }
      assert.ok(layers.flat().length < graph.size);
      assert.equal(cycle[0], cycle.at(-1));
      assert.equal(new Set(cycle).size, cycle.length - 1);
      cycle.slice(1).forEach((node, at) => {
        assert.ok(graph.get(cycle[at] ?? "")?.includes(node), cycle.join(" "));
      });
    }),
  );
});

test("each node is in a later layer than the nodes that it depends on", () => {
  fc.assert(
    fc.property(anyGraph, (graph) => {
      const layerOf = new Map(
        layersOf(graph).flatMap((layer, at) => layer.map((node) => [node, at] as const)),
      );
      for (const [node, at] of layerOf) {
        for (const needed of graph.get(node) ?? []) assert.ok((layerOf.get(needed) ?? 99) < at);
      }
    }),
  );
});

test("a chain of 10,000 nodes needs no stack", () => {
  const nodes = Array.from({ length: 10_000 }, (_, at) => `n${at}`);
  const chain: Graph = new Map(nodes.map((node, at) => [node, at === 0 ? [] : [`n${at - 1}`]]));
  assert.equal(cycleIn(chain), undefined);
  assert.equal(layersOf(chain).length, 10_000);
  assert.equal(withDependants(chain, ["n9990"]).size, 10);
});

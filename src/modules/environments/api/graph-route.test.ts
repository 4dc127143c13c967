import assert from "node:assert/strict";
import { test } from "node:test";
import type { Resource } from "../../../kernel/resource.ts";
import { environmentLimits } from "../limits.ts";
import { environmentsVersion } from "../names.ts";
import { addTo } from "./graph-route.ts";
import type { Graph } from "./graph-route.ts";

const resource = (name: string, dependsOn: readonly string[]): Resource => ({
  apiVersion: environmentsVersion,
  kind: "EnvironmentResource",
  metadata: { name, uid: name, generation: 1, creationTimestamp: "2026-01-01T00:00:00Z" },
  spec: { key: name, dependsOn: [...dependsOn], externals: ["database"] },
});

test("a graph has a bounded number of edges, and counts those that it leaves out", () => {
  const graph: Graph = { nodes: [], edges: [], externals: new Set(), omittedEdges: 0 };
  const targets = Array.from({ length: environmentLimits.maxGraphEdges - 2 }, (_, at) => `r${at}`);
  addTo(graph, resource("web", targets));
  assert.equal(graph.omittedEdges, 0);
  assert.deepEqual(graph.edges.at(-1), { from: "web", to: "external/database" });
  addTo(graph, resource("api", ["web", "queue"]));
  assert.equal(graph.edges.length, environmentLimits.maxGraphEdges);
  assert.deepEqual(graph.edges.at(-1), { from: "api", to: "web" });
  assert.equal(graph.omittedEdges, 2);
  assert.equal(graph.nodes.length, 2, "every node is shown");
  assert.deepEqual([...graph.externals], ["database"]);
});

// Walks along the edges of the index, breadth first, so that depths and paths are the shortest.

import { parseExact } from "../../kernel/int64.ts";
import type { JsonObject } from "../../kernel/json.ts";
import { mayPass } from "./database.ts";
import type { EdgeRow, IndexDatabase, StoredEntry } from "./database.ts";
import { textIndexLimits } from "./port.ts";
import type { Direction, FoundPath, PathQuery, Walk, WalkEdge, WalkNode } from "./port.ts";
import type { WalkQuery } from "./port.ts";

type Graph = Pick<IndexDatabase, "entry" | "dependenciesOf" | "dependantsOf">;

export function walk(graph: Graph, query: WalkQuery): Walk {
  const { from, direction, depth, allowed, types } = query;
  const start = visible(graph, from, allowed);
  if (start === undefined) return { nodes: [], edges: [], isComplete: true };
  const nodes = new Map<string, WalkNode>([[from, nodeOf(from, start, 0)]]);
  const edges: WalkEdge[] = [];
  const bound = Math.min(depth, textIndexLimits.maxDepth);
  let isComplete = true;
  let front: readonly string[] = [from];
  for (let level = 1; level <= bound && front.length > 0; level++) {
    const next: string[] = [];
    for (const { edge, other } of front.flatMap((id) => steps(graph, id, direction, types))) {
      const entry = visible(graph, other, allowed);
      if (entry === undefined) continue;
      if (!nodes.has(other)) {
        if (nodes.size >= textIndexLimits.maxNodes) {
          isComplete = false;
          continue;
        }
        nodes.set(other, nodeOf(other, entry, level));
        next.push(other);
      }
      edges.push({ from: edge.source, to: edge.target, type: edge.type });
    }
    front = next;
  }
  return { nodes: [...nodes.values()], edges, isComplete };
}

export function findPath(graph: Graph, { from, to, allowed, types }: PathQuery): FoundPath {
  const start = visible(graph, from, allowed);
  if (start === undefined || visible(graph, to, allowed) === undefined) {
    return { nodes: undefined, isComplete: true };
  }
  const cameFrom = new Map<string, string | undefined>([[from, undefined]]);
  let front: readonly string[] = [from];
  let isComplete = true;
  while (front.length > 0 && !cameFrom.has(to)) {
    const next: string[] = [];
    for (const id of front) {
      for (const { other } of steps(graph, id, "dependencies", types)) {
        if (cameFrom.has(other) || visible(graph, other, allowed) === undefined) continue;
        if (cameFrom.size >= textIndexLimits.maxNodes) {
          isComplete = false;
          continue;
        }
        cameFrom.set(other, id);
        next.push(other);
      }
    }
    front = next;
  }
  return { nodes: cameFrom.has(to) ? backFrom(graph, to, cameFrom) : undefined, isComplete };
}

function backFrom(
  graph: Graph,
  to: string,
  cameFrom: ReadonlyMap<string, string | undefined>,
): readonly WalkNode[] {
  const ids: string[] = [];
  for (let id: string | undefined = to; id !== undefined; id = cameFrom.get(id)) ids.push(id);
  return ids.toReversed().flatMap((id, depth) => {
    const entry = graph.entry(id);
    return entry === undefined ? [] : [nodeOf(id, entry, depth)];
  });
}

function steps(
  graph: Graph,
  id: string,
  direction: Direction,
  types: readonly string[] | undefined,
): readonly { readonly edge: EdgeRow; readonly other: string }[] {
  const isDown = direction === "dependencies";
  const edges = isDown ? graph.dependenciesOf(id) : graph.dependantsOf(id);
  return edges
    .filter(({ type }) => types === undefined || types.includes(type))
    .map((edge) => ({ edge, other: isDown ? edge.target : edge.source }));
}

function visible(graph: Graph, id: string, allowed: WalkQuery["allowed"]): StoredEntry | undefined {
  const entry = graph.entry(id);
  return entry !== undefined && mayPass(allowed, entry) ? entry : undefined;
}

function nodeOf(id: string, { shown }: StoredEntry, depth: number): WalkNode {
  return { id, depth, shown: parseExact(shown) as JsonObject };
}

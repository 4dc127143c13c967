// The graph of dependencies: cycles and layers. Without recursion, because a chain of 10,000
// resources is allowed. Pure.

/** For each node, the nodes that it depends on. All of them are nodes of the graph. */
export type Graph = ReadonlyMap<string, readonly string[]>;

/** A cycle in its order, beginning and ending with the same node; undefined when there is none. */
export function cycleIn(graph: Graph): readonly string[] | undefined {
  const finished = new Set<string>();
  for (const start of graph.keys()) {
    const cycle = cycleFrom(graph, start, finished);
    if (cycle !== undefined) return cycle;
  }
  return undefined;
}

function cycleFrom(
  graph: Graph,
  start: string,
  finished: Set<string>,
): readonly string[] | undefined {
  if (finished.has(start)) return undefined;
  const path: string[] = [start];
  const onPath = new Map([[start, 0]]);
  const positions = [0];
  for (let node = path.at(-1); node !== undefined; node = path.at(-1)) {
    const at = positions.length - 1;
    const next = graph.get(node)?.[positions[at] ?? 0];
    if (next === undefined) {
      finished.add(node);
      onPath.delete(node);
      path.pop();
      positions.pop();
      continue;
    }
    positions[at] = (positions[at] ?? 0) + 1;
    const seenAt = onPath.get(next);
    if (seenAt !== undefined) return [...path.slice(seenAt), next];
    if (finished.has(next)) continue;
    onPath.set(next, path.length);
    path.push(next);
    positions.push(0);
  }
  return undefined;
}

/** Nodes in layers: each depends only on nodes of earlier layers. The graph has no cycle. */
export function layersOf(graph: Graph): readonly (readonly string[])[] {
  const open = new Map([...graph].map(([node, needed]) => [node, new Set(needed).size]));
  const dependants = dependantsOf(graph);
  const layers: string[][] = [];
  let layer = [...open].filter(([, count]) => count === 0).map(([node]) => node);
  while (layer.length > 0) {
    layers.push(layer);
    const next: string[] = [];
    for (const node of layer) {
      for (const dependant of dependants.get(node) ?? []) {
        const left = (open.get(dependant) ?? 0) - 1;
        open.set(dependant, left);
        if (left === 0) next.push(dependant);
      }
    }
    layer = next;
  }
  return layers;
}

/** The same graph in the other direction. */
export function dependantsOf(graph: Graph): ReadonlyMap<string, readonly string[]> {
  const dependants = new Map<string, string[]>();
  for (const [node, needed] of graph) {
    for (const other of new Set(needed)) {
      const found = dependants.get(other);
      if (found === undefined) dependants.set(other, [node]);
      else found.push(node);
    }
  }
  return dependants;
}

/** The nodes, and everything that depends on them, directly or not. */
export function withDependants(graph: Graph, nodes: readonly string[]): ReadonlySet<string> {
  const dependants = dependantsOf(graph);
  const found = new Set(nodes);
  const left = [...found];
  for (let node = left.pop(); node !== undefined; node = left.pop()) {
    for (const dependant of dependants.get(node) ?? []) {
      if (found.has(dependant)) continue;
      found.add(dependant);
      left.push(dependant);
    }
  }
  return found;
}

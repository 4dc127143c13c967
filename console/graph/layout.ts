// Where the nodes of a dependency graph are: dependencies at the left, dependants at the right. The
// same graph has the same layout, because the input is sorted.

import { Graph, layout } from "@dagrejs/dagre";

export interface LayoutInput {
  readonly nodes: readonly string[];
  readonly edges: readonly { readonly from: string; readonly to: string }[];
}

export interface Point {
  readonly x: number;
  readonly y: number;
}

export interface Layout {
  readonly width: number;
  readonly height: number;
  /** The upper left corner of each node. */
  readonly places: Readonly<Record<string, Point>>;
  readonly lines: readonly {
    readonly from: string;
    readonly to: string;
    readonly points: readonly Point[];
  }[];
}

export const nodeSize = { width: 208, height: 52 } as const;

/** What the library adds to a node and an edge. */
interface Placed {
  readonly x: number;
  readonly y: number;
  readonly points: readonly Point[];
}

export function layoutOf({ nodes, edges }: LayoutInput): Layout {
  const graph = new Graph();
  graph.setGraph({ rankdir: "LR", nodesep: 20, ranksep: 64, marginx: 16, marginy: 16 });
  graph.setDefaultEdgeLabel(() => ({}));
  for (const id of [...nodes].sort()) graph.setNode(id, { ...nodeSize });
  const known = new Set(nodes);
  const sorted = edges
    .filter(({ from, to }) => known.has(from) && known.has(to))
    .sort((one, other) => `${one.to} ${one.from}`.localeCompare(`${other.to} ${other.from}`));
  // The direction of a deployment: from the dependency to what needs it.
  for (const { from, to } of sorted) graph.setEdge(to, from);
  layout(graph);
  const places: Record<string, Point> = {};
  for (const id of nodes) {
    const { x, y } = graph.node(id) as Placed;
    places[id] = { x: x - nodeSize.width / 2, y: y - nodeSize.height / 2 };
  }
  const lines = sorted.map(({ from, to }) => {
    const { points } = graph.edge(to, from) as Placed;
    return { from, to, points: points.map(({ x, y }) => ({ x, y })) };
  });
  const { width = 0, height = 0 } = graph.graph() as { width?: number; height?: number };
  return { width, height, places, lines };
}

/** A smooth path through the points of a line. */
export function curve(points: readonly Point[]): string {
  const [first, ...rest] = points;
  if (first === undefined) return "";
  const parts = [`M${first.x} ${first.y}`];
  for (let at = 0; at < rest.length - 1; at += 1) {
    const here = rest[at];
    const next = rest[at + 1];
    if (here === undefined || next === undefined) continue;
    const isLast = at === rest.length - 2;
    const end = isLast ? next : { x: (here.x + next.x) / 2, y: (here.y + next.y) / 2 };
    parts.push(`Q${here.x} ${here.y} ${end.x} ${end.y}`);
  }
  if (rest.length === 1 && rest[0] !== undefined) parts.push(`L${rest[0].x} ${rest[0].y}`);
  return parts.join(" ");
}

// Which nodes of a large graph are drawn: problems and what is around them first.

import type { DependencyGraph, GraphNode } from "../../api/environments.ts";

const mostNodes = 200;
const rank: Readonly<Record<string, number>> = {
  Failed: 0,
  Cancelled: 0,
  Deploying: 1,
  Removing: 1,
  Waiting: 2,
};
const ready = 3;

export interface ShownNodes {
  readonly nodes: readonly GraphNode[];
  readonly isCut: boolean;
}

export function shownNodes(
  { nodes, edges }: DependencyGraph,
  isProblemsOnly: boolean,
  most: number = mostNodes,
): ShownNodes {
  const rankOf = ({ state = "" }: GraphNode): number => rank[state] ?? ready;
  const problems = new Set(nodes.filter((node) => rankOf(node) === 0).map(({ id }) => id));
  const near = new Set(
    edges.flatMap(({ from, to }) => (problems.has(from) || problems.has(to) ? [from, to] : [])),
  );
  const wanted = isProblemsOnly
    ? nodes.filter(({ id }) => problems.has(id) || near.has(id))
    : nodes;
  const sorted = [...wanted].sort(
    (one, other) =>
      rankOf(one) - rankOf(other) ||
      Number(near.has(other.id)) - Number(near.has(one.id)) ||
      one.id.localeCompare(other.id),
  );
  return { nodes: sorted.slice(0, most), isCut: wanted.length > most };
}

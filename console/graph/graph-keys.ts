// Which node the arrow keys lead to: left to a dependency, right to a dependant, up and down to the
// neighbours of the same column. `n` leads to the next problem.

import type { Layout } from "./layout.ts";

export interface KeyPlace {
  readonly layout: Layout;
  readonly current: string;
  /** In reading order. */
  readonly problems: readonly string[];
}

export function nextNode(key: string, { layout, current, problems }: KeyPlace): string | undefined {
  const { places, lines } = layout;
  const here = places[current];
  if (here === undefined) return undefined;
  const nearest = (ids: readonly string[]): string | undefined =>
    ids
      .map((id) => ({ id, distance: Math.abs((places[id]?.y ?? 0) - here.y) }))
      .sort((one, other) => one.distance - other.distance)[0]?.id;
  if (key === "ArrowLeft") {
    return nearest(lines.filter(({ from }) => from === current).map(({ to }) => to));
  }
  if (key === "ArrowRight") {
    return nearest(lines.filter(({ to }) => to === current).map(({ from }) => from));
  }
  if (key === "n") {
    return problems[(problems.indexOf(current) + 1) % Math.max(1, problems.length)];
  }
  if (key !== "ArrowUp" && key !== "ArrowDown") return undefined;
  const column = Object.entries(places)
    .filter(([, { x }]) => Math.abs(x - here.x) < 1)
    .sort(([, one], [, other]) => one.y - other.y)
    .map(([id]) => id);
  return column[column.indexOf(current) + (key === "ArrowDown" ? 1 : -1)];
}

// The resources that an Operation is about. Pure.

import type { Member } from "../environment/members.ts";
import { withDependants } from "../templates/graph.ts";

/** `from` is a key or a name; empty selects what is not ready. */
export function selectedBy(from: string, members: readonly Member[]): readonly Member[] {
  if (from === "") return members.filter(({ state }) => state !== "Ready");
  const graph = new Map(members.map(({ name, dependsOn }) => [name, dependsOn]));
  const starts = members.filter(({ name, key }) => name === from || key === from);
  const chosen = withDependants(
    graph,
    starts.map(({ name }) => name),
  );
  return members.filter(({ name }) => chosen.has(name));
}

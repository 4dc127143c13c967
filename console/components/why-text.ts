// The explanation as text, to paste it where people talk about it.

import type { Explained, Explanation } from "../api/types.ts";

/** Where a chain of blockers ends. */
export function isCause({ blockers = [], moreBlockers = 0, state }: Explained): boolean {
  return blockers.length === 0 && moreBlockers === 0 && state !== "Ready" && state !== "Repeated";
}

export function countNodes(resource: Explained): number {
  return (resource.blockers ?? []).reduce((sum, each) => sum + countNodes(each), 1);
}

export function countCauses(resource: Explained): number {
  if (isCause(resource)) return 1;
  return (resource.blockers ?? []).reduce((sum, each) => sum + countCauses(each), 0);
}

export function whyText({ summary, resource }: Explanation): string {
  const details = (resource.details ?? []).map((detail) => `  ${detail}`);
  return [summary, ...details, ...linesOf(resource.blockers ?? [], "")].join("\n");
}

function linesOf(blockers: readonly Explained[], indent: string): readonly string[] {
  return blockers.flatMap((blocker, at) => {
    const isLast = at === blockers.length - 1;
    const below = `${indent}${isLast ? "   " : "│  "}`;
    return [
      `${indent}${isLast ? "└─" : "├─"} ${blocker.kind}/${blocker.name}: ${blocker.message}`,
      ...(blocker.details ?? []).map((detail) => `${below}  ${detail}`),
      ...linesOf(blocker.blockers ?? [], below),
    ];
  });
}

// Changes of the same kind by the same actor to the same resource in a row are one line: a retry
// every few seconds would hide what people did.

import type { Change } from "../../api/types.ts";

export interface Repeat {
  /** The newest. */
  readonly change: Change;
  readonly count: number;
}

export function repeatsOf(changes: readonly Change[]): readonly Repeat[] {
  const repeats: Repeat[] = [];
  for (const change of changes) {
    const last = repeats.at(-1);
    if (last === undefined || keyOf(last.change) !== keyOf(change)) {
      repeats.push({ change, count: 1 });
    } else repeats[repeats.length - 1] = { change: last.change, count: last.count + 1 };
  }
  return repeats;
}

function keyOf({ type, kind, namespace = "", name, cause }: Change): string {
  return JSON.stringify([type, kind, namespace, name, cause?.actor]);
}

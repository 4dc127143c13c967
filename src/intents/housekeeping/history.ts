// Forgets superseded states that are older than the operator wants to keep. The revision to compact
// to is found by halving: the log is in order of time, and a change tells when it was made.

import { limits } from "../../kernel/limits.ts";
import type { Store } from "../../store/port.ts";

type Log = Pick<Store, "head" | "changes" | "compact">;

/** Reads the log slowly, and holds what it has not read for at most `holdMs` longer. */
export interface SlowReader {
  readonly floor: () => Promise<number | undefined>;
  readonly holdMs: number;
}

export interface Forgetting {
  readonly nowMs: number;
  readonly keepMs: number;
  readonly readers?: readonly SlowReader[];
}

/** Returns the revision up to which history was forgotten. */
export async function forgetHistory(
  store: Log,
  { nowMs, keepMs, readers = [] }: Forgetting,
  signal?: AbortSignal,
): Promise<number> {
  const { revision, compacted } = await store.head();
  let upTo = await lastBefore(store, nowMs - keepMs, compacted, revision);
  for (const { floor, holdMs } of readers) {
    const read = (await floor()) ?? upTo;
    if (read >= upTo) continue;
    // Beyond its time, a reader that is not there any more must not fill the disk.
    const least = await lastBefore(store, nowMs - keepMs - holdMs, compacted, upTo);
    upTo = Math.max(read, least);
  }
  if (upTo - compacted < limits.minForgottenChanges) return compacted;
  const result = await store.compact(upTo, signal);
  return result.compacted;
}

/** The newest revision whose change was made before the time, or `from` when there is none. */
export async function lastBefore(
  log: Pick<Store, "changes">,
  timeMs: number,
  from: number,
  head: number,
): Promise<number> {
  let low = from;
  let high = head;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    const { changes } = await log.changes(middle - 1, 1);
    const [change] = changes;
    if (change !== undefined && change.atMs < timeMs) low = middle;
    else high = middle - 1;
  }
  return low;
}

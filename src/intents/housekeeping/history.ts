// Forgets superseded states that are older than the operator wants to keep. The revision to compact
// to is found by halving: the log is in order of time, and a change tells when it was made.

import { limits } from "../../kernel/limits.ts";
import type { Store } from "../../store/port.ts";

type Log = Pick<Store, "head" | "changes" | "compact">;

/** Returns the revision up to which history was forgotten. */
export async function forgetHistory(
  store: Log,
  before: { readonly nowMs: number; readonly keepMs: number },
  signal?: AbortSignal,
): Promise<number> {
  const { revision, compacted } = await store.head();
  const oldest = before.nowMs - before.keepMs;
  const upTo = await lastBefore(store, oldest, compacted, revision);
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

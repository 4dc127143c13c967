// What streams of the log have in common: where they may begin, and how they wait for more. While
// nothing that is shown happens, a bookmark keeps the connection open and has the position.

import { SetpointError } from "../../kernel/errors.ts";
import { limits } from "../../kernel/limits.ts";
import type { Timers } from "../../kernel/timers.ts";
import type { Store } from "../../store/port.ts";

/** Throws when the log does not have what follows the revision. */
export function checkBeginning(
  after: number,
  { revision, compacted }: { readonly revision: number; readonly compacted: number },
): void {
  if (after < compacted) throw tooOld(after, compacted);
  if (after > revision) throw tooNew(after, revision);
}

export function tooOld(after: number, compacted: number): SetpointError {
  const message = `changes after revision ${after} have been compacted; the oldest is ${compacted}`;
  return new SetpointError("history.gone", message, {
    details: { field: "query.after" },
    suggestion: "read the current state, then follow the changes after its revision",
  });
}

/** As after a restore of an older backup: to wait would hide every change up to the revision. */
function tooNew(after: number, head: number): SetpointError {
  const message = `revision ${after} has not been reached; the newest is ${head}`;
  return new SetpointError("revision.future", message, { details: { field: "query.after" } });
}

/** Waits for a change; false when it is time for a bookmark, or the stream ends. */
export async function isAdvanced(
  { store, timers }: { readonly store: Pick<Store, "advancedBeyond">; readonly timers: Timers },
  after: number,
  signal: AbortSignal,
): Promise<boolean> {
  const idle = new AbortController();
  const cancel = timers.after(limits.streamBookmarkMs, () => idle.abort());
  const either = AbortSignal.any([idle.signal, signal]);
  try {
    await store.advancedBeyond(after, either);
    return true;
  } catch (error) {
    if (either.aborted) return false;
    throw error;
  } finally {
    cancel();
  }
}

// Waits for a revision that the store does not have yet, for a bounded time: a client that names a
// revision of another store must get an error, and hold no request until it leaves.

import { SetpointError } from "../../kernel/errors.ts";
import type { Timers } from "../../kernel/timers.ts";
import { limits } from "../../kernel/limits.ts";
import type { Store } from "../../store/port.ts";

export interface ReachPorts {
  readonly store: Pick<Store, "head" | "advancedBeyond">;
  readonly timers: Timers;
}

/** `field` is the parameter that names the revision. Throws revision.future. */
export async function reachRevision(
  { store, timers }: ReachPorts,
  revision: number,
  { field, signal }: { readonly field: string; readonly signal: AbortSignal | undefined },
): Promise<void> {
  const stop = new AbortController();
  const cancel = timers.after(limits.futureRevisionWaitMs, () => stop.abort());
  const both = signal === undefined ? stop.signal : AbortSignal.any([stop.signal, signal]);
  try {
    let { revision: head } = await store.head();
    while (head < revision) head = await store.advancedBeyond(head, both);
  } catch (error) {
    if (!stop.signal.aborted) throw error;
    const message = `revision ${revision} has not been reached`;
    throw new SetpointError("revision.future", message, { details: { field } });
  } finally {
    cancel();
  }
}

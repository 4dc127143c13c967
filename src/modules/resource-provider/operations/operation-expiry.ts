/**
 * Records of operations go when their time has come, and those whose end nobody came to record get
 * it, as long as the history of the store still knows it of resources that are gone. Every process
 * sweeps, at its start as well, so that it happens also where no process lives for long, and looks
 * after what still goes on from then on; none waits for it.
 */
import { systemCause } from "../../../kernel/cause.ts";
import { every } from "../../../kernel/timers.ts";
import type { Timers } from "../../../kernel/timers.ts";
import type { Position, StoredRecord, Write } from "../../../store/port.ts";
import { operationKind } from "../face.ts";
import { endsOf, isExpired, isOutage } from "./unrecorded-ends.ts";
import type { ProviderState } from "../provider-state.ts";

const pageItems = 200;
const sweepMs = 3_600_000;
const leastSweepMs = 60_000;

export interface Sweeping {
  readonly provider: ProviderState;
  readonly timers: Timers;
  readonly signal: AbortSignal;
  /** How long the store remembers what was deleted; undefined for good. */
  readonly historyMs: number | undefined;
  /** What could not be removed this time is tried again the next time. */
  readonly onError: (error: unknown) => void;
}

/** Until the signal aborts. */
export async function sweepOperations(sweeping: Sweeping): Promise<void> {
  const { provider, timers, signal, historyMs = Number.POSITIVE_INFINITY, onError } = sweeping;
  const sweep = async (): Promise<void> => {
    try {
      await removeOldOperations(provider, signal, onError);
    } catch (error) {
      if (!signal.aborted) onError(error);
    }
  };
  await sweep();
  const pauseMs = Math.max(leastSweepMs, Math.min(sweepMs, historyMs / 4));
  await every(timers, pauseMs, sweep, signal);
}

/** One that cannot be read stays, is told, and keeps no other from going. */
export async function removeOldOperations(
  provider: ProviderState,
  signal: AbortSignal,
  onError: (error: unknown) => void,
): Promise<number> {
  const { store } = provider.intents;
  let removed = 0;
  let from: Position | undefined;
  do {
    const query = { kind: operationKind, limit: pageItems };
    const page = await store.list(from === undefined ? query : { ...query, from });
    const writes: Write[] = [];
    const kept: StoredRecord[] = [];
    for (const record of page.records) {
      const { key, revision, uid } = record;
      const when = { kind: "revision", revision, uid } as const;
      try {
        if (!(await isExpired(provider, record))) kept.push(record);
        else writes.push({ kind: "delete", key, when, cause: systemCause });
      } catch (error) {
        if (isOutage(error)) throw error;
        onError(error);
      }
    }
    removed += writes.length;
    const nowMs = provider.intents.clock.nowMs();
    for (const { record, about, write, isRecorded } of await endsOf(provider, kept, onError)) {
      if (write !== undefined) writes.push(write);
      else if (!isRecorded) provider.open.note(record.key, about, nowMs);
    }
    // One that was written meanwhile stays until the next time.
    if (writes.length > 0) await store.commit(writes);
    from = page.next;
  } while (from !== undefined && !signal.aborted);
  return removed;
}

/**
 * Records of operations go when their time has come. Every process sweeps, at its start as well, so
 * that they also go where no process lives for long; none waits for it.
 */
import { every } from "../../kernel/timers.ts";
import type { Timers } from "../../kernel/timers.ts";
import type { Position, Write } from "../../store/port.ts";
import type { ArmSurface } from "../../surfaces/arm/arm-request.ts";
import { operationKind } from "../../surfaces/arm/face.ts";
import { isExpired } from "../../surfaces/arm/operations.ts";

const pageItems = 200;
const sweepMs = 3_600_000;

export interface Sweeping {
  readonly surface: ArmSurface;
  readonly timers: Timers;
  readonly signal: AbortSignal;
  /** What could not be removed this time is tried again the next time. */
  readonly onError: (error: unknown) => void;
}

/** Until the signal aborts. */
export async function sweepOperations(sweeping: Sweeping): Promise<void> {
  const { surface, timers, signal, onError } = sweeping;
  const sweep = async (): Promise<void> => {
    try {
      await removeOldOperations(surface, signal);
    } catch (error) {
      if (!signal.aborted) onError(error);
    }
  };
  await sweep();
  await every(timers, sweepMs, sweep, signal);
}

export async function removeOldOperations(
  surface: ArmSurface,
  signal: AbortSignal,
): Promise<number> {
  const { store } = surface.intents;
  let removed = 0;
  let from: Position | undefined;
  do {
    const query = { kind: operationKind, limit: pageItems };
    const page = await store.list(from === undefined ? query : { ...query, from });
    const writes: Write[] = [];
    for (const record of page.records) {
      const { key, revision, uid } = record;
      if (!(await isExpired(surface, record))) continue;
      writes.push({ kind: "delete", key, when: { kind: "revision", revision, uid } });
    }
    // One that was written meanwhile stays until the next time.
    if (writes.length > 0) await store.commit(writes);
    removed += writes.length;
    from = page.next;
  } while (from !== undefined && !signal.aborted);
  return removed;
}

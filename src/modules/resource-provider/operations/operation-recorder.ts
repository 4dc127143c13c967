/**
 * Records how operations ended, a moment after their resources show it. Many are recorded by one
 * commit, and nobody waits for it. Where nothing is open nothing is done. What another process
 * accepted is its to record; what it has not recorded after a minute, because it was killed or has
 * too much to do, is recorded here, unless there is as much to do here.
 */
import type { ChangeFeed } from "../../../intents/watch/change-feed.ts";
import { decodeDocument } from "../../../kernel/document.ts";
import type { Timers } from "../../../kernel/timers.ts";
import type { Change } from "../../../store/port.ts";
import { operationKind } from "../face.ts";
import { recordedAfterMs } from "./open-operations.ts";
import type { OpenOperation, OpenOperations } from "./open-operations.ts";
import { endsOf } from "./unrecorded-ends.ts";
import { operationOf } from "./record.ts";
import type { ProviderState } from "../provider-state.ts";

const mostAtOnce = 200;

export interface Recording {
  readonly provider: ProviderState;
  readonly feed: Pick<ChangeFeed, "subscribe">;
  readonly timers: Timers;
  readonly signal: AbortSignal;
  /** What could not be recorded this time is tried again later. */
  readonly onError: (error: unknown) => void;
}

/** Until the signal aborts. */
export async function recordEnds(recording: Recording): Promise<void> {
  const { provider, feed, timers, signal, onError } = recording;
  const { open, intents } = provider;
  const unsubscribe = feed.subscribe((changes) => {
    const nowMs = intents.clock.nowMs();
    for (const change of changes) {
      if (change.key.kind === operationKind) follow(open, change, nowMs);
      else open.changed(change.key, nowMs);
    }
  });
  const stopped = Promise.withResolvers<void>();
  const stop = (): void => stopped.resolve();
  signal.addEventListener("abort", stop, { once: true });
  try {
    while (!signal.aborted) {
      await Promise.race([open.arrived(), stopped.promise]);
      await timers.sleep(recordedAfterMs, signal);
      await recordDue(recording).catch(onError);
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    signal.removeEventListener("abort", stop);
    unsubscribe();
  }
}

/** The record of an operation was created, has its end, or was deleted. */
function follow(open: OpenOperations, change: Change, nowMs: number): void {
  const { type, key, body, revision } = change;
  if (type === "deleted") return open.settle(key);
  if (type === "updated" && !open.knows(key)) return;
  const { end } = operationOf(change, decodeDocument(body, revision));
  if (end !== undefined) return open.settle(key);
  // This process may have accepted it: then the request notes it when its commit has returned.
  if (type === "created") open.noteOthers(key, nowMs);
}

async function recordDue(recording: Recording): Promise<void> {
  const { provider, signal } = recording;
  const due = provider.open.take(provider.intents.clock.nowMs());
  for (let at = 0; at < due.length && !signal.aborted; at += mostAtOnce) {
    await recordSome(recording, due.slice(at, at + mostAtOnce)).catch(recording.onError);
  }
}

async function recordSome(
  { provider, onError }: Recording,
  some: readonly OpenOperation[],
): Promise<void> {
  const { open, intents } = provider;
  const stored = await intents.store.getMany(some.map(({ key }) => key));
  const records = stored.filter((record) => record !== undefined);
  const failed = new Set<string>();
  const found = await endsOf(provider, records, (error, { key }) => {
    failed.add(key.name);
    onError(error);
  });
  const ends = new Map(found.map((end) => [end.record.key.name, end] as const));
  const writes = [...ends.values()].flatMap(({ write }) => (write === undefined ? [] : [write]));
  // What is refused was recorded by somebody else at the same moment.
  if (writes.length > 0) await intents.store.commit(writes);
  for (const operation of some) {
    const end = ends.get(operation.key.name);
    const isOpen = end !== undefined && end.write === undefined && !end.isRecorded;
    if (!isOpen && !failed.has(operation.key.name)) open.settle(operation.key);
  }
}

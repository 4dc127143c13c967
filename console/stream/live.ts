// What changes on the server, for every part of the page. One stream serves all tabs of a browser:
// HTTP/1.1 allows six connections to a host. The tab that holds the lock reads it and passes the
// changes on; a hidden tab gives the lock back and closes its stream. The stream resumes after the
// last revision, and when that is not possible, everything on the page is read again.

import { signal as createSignal } from "@preact/signals";
import { insight } from "../api/insight.ts";
import { isStatus } from "../api/client.ts";
import type { Change } from "../api/types.ts";
import { retryDelayMs } from "./retry-delay.ts";

export interface LiveState {
  readonly kind: "connecting" | "live" | "reconnecting";
  readonly revision: number;
  /** When the connection was lost, in milliseconds. */
  readonly sinceMs?: number;
}

type Message =
  | { readonly kind: "changes"; readonly changes: readonly Change[]; readonly revision: number }
  | { readonly kind: "state"; readonly state: LiveState }
  | { readonly kind: "where" };

export const live = createSignal<LiveState>({ kind: "connecting", revision: 0 });

const changeListeners = new Set<(changes: readonly Change[]) => void>();
const resyncListeners = new Set<() => void>();
/** Changes are delivered together, ten times a second at most. */
const batchMs = 100;

export function onChanges(listener: (changes: readonly Change[]) => void): () => void {
  changeListeners.add(listener);
  return () => changeListeners.delete(listener);
}

/** Called when changes may have been missed. */
export function onResync(listener: () => void): () => void {
  resyncListeners.add(listener);
  return () => resyncListeners.delete(listener);
}

const { promise: started, resolve: markStarted } = Promise.withResolvers<undefined>();
const startWaitMs = 250;

/** Reads that begin after this see every later change in the stream. */
export async function streamStarted(): Promise<void> {
  const waited = new Promise<undefined>((resolve) => {
    setTimeout(resolve, startWaitMs, undefined);
  });
  await Promise.race([started, waited]);
}

/** Follows the changes while the page is visible; the result ends it. */
export function followChanges(): () => void {
  const channel =
    typeof BroadcastChannel === "undefined" ? undefined : new BroadcastChannel("setpoint-changes");
  let visit: AbortController | undefined;
  let isLeading = false;

  const post = (message: Message): void => {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- not a window
    channel?.postMessage(message);
  };
  const show = (state: LiveState): void => {
    live.value = state;
    if (isLeading) post({ kind: "state", state });
  };
  const receive = (changes: readonly Change[], revision: number): void => {
    const before = live.peek().revision;
    const fresh = changes.filter((change) => change.revision > before);
    live.value = { kind: "live", revision: Math.max(before, revision) };
    markStarted(undefined);
    if (fresh.length > 0) for (const listener of changeListeners) listener(fresh);
    if (isLeading) post({ kind: "changes", changes, revision });
  };
  const catchUp = (revision: number): void => {
    live.value = { kind: "live", revision };
    markStarted(undefined);
    for (const listener of resyncListeners) listener();
  };

  const lead = async (signal: AbortSignal): Promise<void> => {
    isLeading = true;
    try {
      await readUntil(signal, { receive, catchUp, show });
    } finally {
      isLeading = false;
    }
  };

  channel?.addEventListener("message", ({ data }: MessageEvent<Message>) => {
    if (document.hidden || isLeading) {
      if (data.kind === "where" && isLeading) post({ kind: "state", state: live.peek() });
      return;
    }
    if (data.kind === "changes") receive(data.changes, data.revision);
    if (data.kind === "state") followState(data.state, catchUp);
  });

  const enter = (): void => {
    if (document.hidden) {
      visit?.abort();
      visit = undefined;
      return;
    }
    if (visit !== undefined) return;
    visit = new AbortController();
    post({ kind: "where" });
    void holdLock(visit.signal, lead);
  };
  document.addEventListener("visibilitychange", enter);
  enter();
  return () => {
    document.removeEventListener("visibilitychange", enter);
    visit?.abort();
    channel?.close();
  };
}

/** A tab that follows another one: what the leader has seen and this tab has not is read again. */
function followState(state: LiveState, catchUp: (revision: number) => void): void {
  const before = live.peek();
  if (state.kind !== "live") live.value = { ...state, revision: before.revision };
  else if (state.revision > before.revision) catchUp(state.revision);
  else live.value = { ...before, kind: "live" };
}

async function holdLock(
  signal: AbortSignal,
  lead: (signal: AbortSignal) => Promise<void>,
): Promise<void> {
  try {
    if (navigator.locks === undefined) return await lead(signal);
    await navigator.locks.request("setpoint-changes", { signal }, async () => await lead(signal));
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

interface Reader {
  readonly receive: (changes: readonly Change[], revision: number) => void;
  readonly catchUp: (revision: number) => void;
  readonly show: (state: LiveState) => void;
}

async function readUntil(signal: AbortSignal, reader: Reader): Promise<void> {
  let failures = 0;
  while (!signal.aborted) {
    const { revision } = live.peek();
    try {
      await readStream(revision === 0 ? undefined : revision, signal, reader, () => {
        failures = 0;
      });
    } catch (error) {
      if (signal.aborted) return;
      // Too old to resume: everything is read again, and the stream begins now.
      if (isStatus(error, 410)) live.value = { ...live.peek(), revision: 0 };
    }
    if (signal.aborted) return;
    const sinceMs = live.peek().sinceMs ?? Date.now();
    reader.show({ kind: "reconnecting", revision: live.peek().revision, sinceMs });
    await pause(retryDelayMs(failures), signal);
    failures += 1;
  }
}

type Item = Change | { readonly type: "bookmark"; readonly revision: number };

async function readStream(
  after: number | undefined,
  signal: AbortSignal,
  { receive, catchUp }: Reader,
  onItem: () => void,
): Promise<void> {
  let batch: Change[] = [];
  let revision = after ?? 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const deliver = (): void => {
    timer = undefined;
    const changes = batch;
    batch = [];
    receive(changes, revision);
  };
  try {
    let isFirst = true;
    for await (const item of insight.changes(after, signal) as AsyncIterable<Item>) {
      onItem();
      revision = item.revision;
      if (isFirst && after === undefined) catchUp(revision);
      isFirst = false;
      if (item.type !== "bookmark") batch.push(item);
      timer ??= setTimeout(deliver, batch.length === 0 ? 0 : batchMs);
    }
  } finally {
    clearTimeout(timer);
    if (!signal.aborted && batch.length > 0) deliver();
  }
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      resolve();
    });
  });
}

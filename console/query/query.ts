// Data that a page shows: read once, kept while the page is open and for Back, and read again when
// the stream reports a change of it. Old data stays on the page while new data is read.

import { signal } from "@preact/signals";
import type { Signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { Change } from "../api/types.ts";
import { onChanges, onResync, streamStarted } from "../stream/live.ts";
import { nextReadMs } from "./pace.ts";

export interface QueryState<T> {
  readonly data: T | undefined;
  readonly error: Error | undefined;
  readonly isLoading: boolean;
  readonly refetch: () => void;
}

interface Entry<T> {
  readonly state: Signal<Omit<QueryState<T>, "refetch">>;
  read: (signal: AbortSignal) => Promise<T>;
  users: number;
  running: AbortController | undefined;
  timer: ReturnType<typeof setTimeout> | undefined;
  isStale: boolean;
  startedMs: number;
  tookMs: number;
}

export interface QueryOptions {
  /** Which changes make the data old; none: it is read once. */
  readonly live?: (change: Change) => boolean;
}

const entries = new Map<string, Entry<unknown>>();
/** Data of pages that were left, for Back. */
const mostEntries = 60;

/** `key` names the data: the same key in two places is one request. Undefined: no request. */
export function useQuery<T>(
  key: string | undefined,
  read: (signal: AbortSignal) => Promise<T>,
  { live }: QueryOptions = {},
): QueryState<T> {
  const entry = key === undefined ? undefined : (entryOf(key, read) as Entry<T>);
  useEffect(() => {
    if (entry === undefined) return undefined;
    entry.users += 1;
    // A page that is opened again shows what it had and reads it again.
    if (entry.users === 1 || entry.isStale) schedule(entry, 0);
    const stop = [
      onResync(() => schedule(entry, 0)),
      onChanges((changes) => {
        if (live !== undefined && changes.some(live)) soon(entry);
      }),
    ];
    return () => {
      for (const end of stop) end();
      entry.users -= 1;
      if (entry.users === 0) release(entry);
    };
  }, [key]);
  const refetch = (): void => {
    if (entry !== undefined) schedule(entry, 0);
  };
  if (entry === undefined) return { data: undefined, error: undefined, isLoading: false, refetch };
  return { ...entry.state.value, refetch };
}

/** Reads everything on the page again that a write may have changed. */
export function refetchAll(): void {
  for (const entry of entries.values()) {
    if (entry.users > 0) schedule(entry, 0);
    else entry.isStale = true;
  }
}

export function forgetQueries(): void {
  for (const entry of entries.values()) release(entry);
  entries.clear();
}

function entryOf(key: string, read: Entry<unknown>["read"]): Entry<unknown> {
  const found = entries.get(key);
  if (found !== undefined) {
    found.read = read;
    return found;
  }
  const entry: Entry<unknown> = {
    state: signal({ data: undefined, error: undefined, isLoading: true }),
    read,
    users: 0,
    running: undefined,
    timer: undefined,
    isStale: true,
    startedMs: 0,
    tookMs: 0,
  };
  entries.set(key, entry);
  for (const [old, { users }] of entries) {
    if (entries.size <= mostEntries) break;
    if (users === 0 && old !== key) entries.delete(old);
  }
  return entry;
}

function soon(entry: Entry<unknown>): void {
  entry.isStale = true;
  if (entry.timer !== undefined || entry.running !== undefined) return;
  schedule(entry, nextReadMs(Date.now() - entry.startedMs, entry.tookMs));
}

function schedule(entry: Entry<unknown>, delayMs: number): void {
  clearTimeout(entry.timer);
  entry.timer = setTimeout(() => {
    entry.timer = undefined;
    void run(entry);
  }, delayMs);
}

function release(entry: Entry<unknown>): void {
  clearTimeout(entry.timer);
  entry.timer = undefined;
  entry.running?.abort();
  entry.running = undefined;
  entry.isStale = true;
}

async function run(entry: Entry<unknown>): Promise<void> {
  entry.running?.abort();
  const running = new AbortController();
  entry.running = running;
  const before = entry.state.peek();
  if (before.data === undefined) entry.state.value = { ...before, isLoading: true };
  await streamStarted();
  if (running.signal.aborted) return;
  entry.startedMs = Date.now();
  entry.isStale = false;
  try {
    const data = await entry.read(running.signal);
    if (running.signal.aborted) return;
    entry.state.value = { data, error: undefined, isLoading: false };
  } catch (error) {
    if (running.signal.aborted) return;
    const why = error instanceof Error ? error : new Error(String(error));
    entry.state.value = { ...entry.state.peek(), error: why, isLoading: false };
  }
  entry.tookMs = Date.now() - entry.startedMs;
  entry.running = undefined;
  if (entry.isStale && entry.users > 0) soon(entry);
}

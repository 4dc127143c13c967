// The rows of a list: pages from the server, held while they change.

import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { insight } from "../api/insight.ts";
import type { RowQuery } from "../api/insight.ts";
import type { RowColumn } from "../api/types.ts";
import { onChanges, onResync, streamStarted } from "../stream/live.ts";
import { nextReadMs } from "../query/pace.ts";
import { appendRows, holdRows, patchRows } from "./held-rows.ts";
import type { HeldRows } from "./held-rows.ts";

export interface RowsState {
  readonly held: HeldRows | undefined;
  readonly columns: readonly RowColumn[];
  readonly error: Error | undefined;
  readonly isLoading: boolean;
  /** The cursor of the next page. */
  readonly next: string | undefined;
  /** The filter, namespace and sort order that the rows belong to. */
  readonly key: string;
}

export interface Rows extends RowsState {
  readonly loadMore: () => void;
  readonly showNews: () => void;
  readonly refetch: () => void;
  readonly isFull: boolean;
}

const pageRows = 200;
export const mostRows = 1_000;

const nothing: Omit<RowsState, "key"> = {
  held: undefined,
  columns: [],
  error: undefined,
  isLoading: true,
  next: undefined,
};
/** For Back: the list that was left, with its rows in their order. */
const left = new Map<string, RowsState>();
const mostLeft = 8;

export function useRows(query: Omit<RowQuery, "limit" | "cursor">): Rows {
  const key = JSON.stringify(query);
  const state = useSignal<RowsState>(left.get(key) ?? { ...nothing, key });
  const reader = useRef<ListReader | undefined>(undefined);
  useEffect(() => {
    if (state.peek().key !== key) {
      const before = state.peek();
      const known = left.get(key);
      // The old rows stay while those of another filter are read.
      state.value = known ?? { ...before, isLoading: true, error: undefined, key };
    }
    const list = new ListReader(
      query,
      () => state.peek(),
      (next) => {
        if (state.peek().key === key) state.value = next;
      },
    );
    reader.current = list;
    list.start(left.has(key));
    return () => {
      list.stop();
      remember(key, state.peek());
    };
  }, [key]);
  const shown = state.value;
  return {
    ...shown,
    isFull: (shown.held?.rows.length ?? 0) >= mostRows,
    loadMore: () => void reader.current?.more(),
    refetch: () => void reader.current?.again(),
    showNews: () => {
      if (shown.held !== undefined) state.value = { ...shown, held: holdRows(shown.held.fresh) };
    },
  };
}

function remember(key: string, state: RowsState): void {
  if (state.held === undefined || state.key !== key) return;
  left.delete(key);
  left.set(key, state);
  for (const old of left.keys()) {
    if (left.size <= mostLeft) break;
    left.delete(old);
  }
}

class ListReader {
  readonly #query: Omit<RowQuery, "limit" | "cursor">;
  readonly #get: () => RowsState;
  readonly #set: (state: RowsState) => void;
  readonly #ends: (() => void)[] = [];
  readonly #stopped = new AbortController();
  #isReading = false;
  #isStale = false;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #startedMs = 0;
  #tookMs = 0;

  constructor(
    query: Omit<RowQuery, "limit" | "cursor">,
    get: () => RowsState,
    set: (state: RowsState) => void,
  ) {
    this.#query = query;
    this.#get = get;
    this.#set = set;
  }

  start(isKnown: boolean): void {
    const { kind, namespace } = this.#query;
    this.#ends.push(
      onResync(() => void this.again()),
      onChanges((changes) => {
        const isOurs = changes.some(
          (change) => change.kind === kind && (!namespace || change.namespace === namespace),
        );
        if (isOurs) this.#soon();
      }),
    );
    void (isKnown ? this.again() : this.#first());
  }

  stop(): void {
    for (const end of this.#ends) end();
    clearTimeout(this.#timer);
    this.#stopped.abort();
  }

  async #first(): Promise<void> {
    await this.#read(async (signal) => {
      const page = await insight.rows({ ...this.#query, limit: pageRows }, signal);
      const { columns, items, next } = page;
      return { ...this.#get(), held: holdRows(items), columns, next };
    });
  }

  async more(): Promise<void> {
    const { next: cursor, held } = this.#get();
    if (cursor === undefined || held === undefined || held.rows.length >= mostRows) return;
    await this.#read(async (signal) => {
      const page = await insight.rows({ ...this.#query, limit: pageRows, cursor }, signal);
      const before = this.#get();
      const rows = appendRows(before.held ?? holdRows([]), page.items);
      return { ...before, held: rows, next: page.next };
    });
  }

  /** Reads as many rows as are held, and patches them. */
  async again(): Promise<void> {
    if (this.#get().held === undefined || this.#get().error !== undefined) {
      await this.#first();
      return;
    }
    await this.#read(async (signal) => {
      const count = Math.min(mostRows, Math.max(pageRows, this.#get().held?.rows.length ?? 0));
      const page = await insight.rows({ ...this.#query, limit: count }, signal);
      const before = this.#get();
      const held = patchRows(before.held ?? holdRows([]), page.items);
      return { ...before, held, columns: page.columns, next: page.next };
    });
  }

  #soon(): void {
    this.#isStale = true;
    if (this.#timer !== undefined || this.#isReading) return;
    this.#timer = setTimeout(
      () => {
        this.#timer = undefined;
        void this.again();
      },
      nextReadMs(Date.now() - this.#startedMs, this.#tookMs),
    );
  }

  async #read(work: (signal: AbortSignal) => Promise<RowsState>): Promise<void> {
    if (this.#isReading) {
      this.#isStale = true;
      return;
    }
    this.#isReading = true;
    await streamStarted();
    this.#isStale = false;
    this.#startedMs = Date.now();
    const { signal } = this.#stopped;
    try {
      const state = await work(signal);
      if (!signal.aborted) this.#set({ ...state, error: undefined, isLoading: false });
    } catch (error) {
      if (signal.aborted) return;
      const why = error instanceof Error ? error : new Error(String(error));
      this.#set({ ...this.#get(), error: why, isLoading: false });
    } finally {
      this.#tookMs = Date.now() - this.#startedMs;
      this.#isReading = false;
      if (this.#isStale && !signal.aborted) this.#soon();
    }
  }
}

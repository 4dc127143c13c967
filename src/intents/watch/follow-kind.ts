// A follower that keeps one small value for each resource of a kind, such as its phase: for kinds
// of which the live view would hold too much. It lists the kind once and then follows the change
// feed. The work of a change is one decoded document.

import type { ChangeFeed } from "./change-feed.ts";
import { decodeDocument } from "../../kernel/document.ts";
import { keyText } from "../../kernel/resource.ts";
import type { Resource, ResourceKey } from "../../kernel/resource.ts";
import type { Timers } from "../../kernel/timers.ts";
import type { Change, Store, StoredRecord } from "../../store/port.ts";

/** Between two attempts to list the kind. */
const retryMs = 1_000;
const pageItems = 1_000;

export interface FollowPorts {
  readonly store: Pick<Store, "list">;
  readonly feed: Pick<ChangeFeed, "subscribe">;
  readonly timers: Timers;
}

export interface FollowKindInput<T> extends FollowPorts {
  readonly kind: string;
  readonly read: (resource: Resource, key: ResourceKey) => T;
  /**
   * `before` is undefined for a resource that was not known, `after` for one that is deleted.
   * `atMs` is the time of the change; undefined for what was stored before.
   */
  readonly onChange: (
    key: ResourceKey,
    after: T | undefined,
    before: T | undefined,
    atMs: number | undefined,
  ) => void;
  /** The list is repeated after an error. */
  readonly onError: (error: unknown) => void;
}

/** Disposing of it ends it; `onChange` is not called any more. */
export interface FollowedKind extends AsyncDisposable {
  /** Resolves when every resource that existed at the start is known. */
  readonly loaded: Promise<void>;
  readonly isLoaded: boolean;
}

export function followKind<T>(input: FollowKindInput<T>): FollowedKind {
  const { feed, timers, kind, onError } = input;
  const known = new KnownResources(input);
  const stop = new AbortController();
  const held: Change[] = [];
  /** What was listed contains every change up to here, also those that the feed delivers later. */
  let listed: number | undefined;
  const unsubscribe = feed.subscribe((changes) => {
    for (const change of changes) {
      if (change.key.kind !== kind) continue;
      if (listed === undefined) held.push(change);
      else if (change.revision > listed) known.take(change);
    }
  });
  const load = async (): Promise<void> => {
    while (!stop.signal.aborted) {
      try {
        const revision = await list(input, known, stop.signal);
        if (stop.signal.aborted) return;
        for (const change of held) if (change.revision > revision) known.take(change);
        held.length = 0;
        listed = revision;
        return;
      } catch (error) {
        if (stop.signal.aborted) return;
        onError(error);
        known.forget();
        // A stop ends the pause.
        await timers.sleep(retryMs, stop.signal).catch(() => undefined);
      }
    }
  };
  const loaded = load();
  return {
    loaded,
    get isLoaded() {
      return listed !== undefined;
    },
    [Symbol.asyncDispose]: async () => {
      stop.abort();
      unsubscribe();
      await loaded;
    },
  };
}

/** The revision of the state that was listed. */
async function list<T>(
  { store, kind }: FollowKindInput<T>,
  known: KnownResources<T>,
  signal: AbortSignal,
): Promise<number> {
  const query = { kind, limit: pageItems };
  for (
    let page = await store.list(query);
    ;
    page = await store.list({ ...query, from: page.next })
  ) {
    if (signal.aborted) return page.revision;
    for (const record of page.records) known.put(record, undefined);
    if (page.next === undefined) return page.revision;
  }
}

class KnownResources<T> {
  readonly #known = new Map<string, { readonly key: ResourceKey; readonly value: T }>();
  readonly #input: Pick<FollowKindInput<T>, "read" | "onChange">;

  constructor(input: Pick<FollowKindInput<T>, "read" | "onChange">) {
    this.#input = input;
  }

  put({ key, revision, body }: StoredRecord | Change, atMs: number | undefined): void {
    const text = keyText(key);
    const before = this.#known.get(text);
    const value = this.#input.read(decodeDocument(body, revision), key);
    this.#known.set(text, { key, value });
    this.#input.onChange(key, value, before?.value, atMs);
  }

  take(change: Change): void {
    if (change.type !== "deleted") {
      this.put(change, change.atMs);
      return;
    }
    const text = keyText(change.key);
    const before = this.#known.get(text);
    if (before === undefined) return;
    this.#known.delete(text);
    this.#input.onChange(change.key, undefined, before.value, change.atMs);
  }

  /** A list that failed is repeated, and may not have what the first pages had. */
  forget(): void {
    for (const { key, value } of this.#known.values()) {
      this.#input.onChange(key, undefined, value, undefined);
    }
    this.#known.clear();
  }
}

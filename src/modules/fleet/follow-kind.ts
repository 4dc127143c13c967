// A follower that keeps one small value for each resource of a kind, such as its phase: for kinds
// of which the live view would hold too much. It lists the kind once and then follows the change
// feed. The work of a change is one decoded document.

import type { ChangeFeed } from "../../intents/watch/change-feed.ts";
import { decodeDocument } from "../../kernel/document.ts";
import { keyText } from "../../kernel/resource.ts";
import type { Resource, ResourceKey } from "../../kernel/resource.ts";
import type { Timers } from "../../kernel/timers.ts";
import type { Change, Store, StoredRecord } from "../../store/port.ts";
import { fleetLimits } from "./limits.ts";

export interface FollowKindInput<T> {
  readonly store: Pick<Store, "list">;
  readonly feed: Pick<ChangeFeed, "subscribe">;
  readonly timers: Timers;
  readonly kind: string;
  readonly read: (resource: Resource, key: ResourceKey) => T;
  /** `before` is undefined for a resource that was not known, `after` for one that is deleted. */
  readonly onChange: (key: ResourceKey, after: T | undefined, before: T | undefined) => void;
  /** The list is repeated after an error. */
  readonly onError: (error: unknown) => void;
}

/** Disposing of it ends it; `onChange` is not called any more. */
export interface FollowedKind extends AsyncDisposable {
  /** Resolves when every resource that existed at the start is known. */
  readonly loaded: Promise<void>;
}

export function followKind<T>(input: FollowKindInput<T>): FollowedKind {
  const { feed, timers, kind, onError } = input;
  const known = new KnownResources(input);
  const stop = new AbortController();
  // A change during the list is held back, so that the list cannot bring back what it deletes.
  let held: Change[] | undefined = [];
  const unsubscribe = feed.subscribe((changes) => {
    for (const change of changes) {
      if (change.key.kind !== kind) continue;
      if (held === undefined) known.take(change);
      else held.push(change);
    }
  });
  const load = async (): Promise<void> => {
    for (let isListed = false; !isListed && !stop.signal.aborted;) {
      try {
        await list(input, known, stop.signal);
        isListed = true;
      } catch (error) {
        if (stop.signal.aborted) return;
        onError(error);
        // A stop ends the pause.
        await timers.sleep(fleetLimits.followRetryMs, stop.signal).catch(() => undefined);
      }
    }
    if (stop.signal.aborted) return;
    const waiting = held ?? [];
    held = undefined;
    for (const change of waiting) known.take(change);
  };
  const loaded = load();
  return {
    loaded,
    [Symbol.asyncDispose]: async () => {
      stop.abort();
      unsubscribe();
      await loaded;
    },
  };
}

async function list<T>(
  { store, kind }: FollowKindInput<T>,
  known: KnownResources<T>,
  signal: AbortSignal,
): Promise<void> {
  const query = { kind, limit: fleetLimits.followPageItems };
  for (
    let page = await store.list(query);
    !signal.aborted;
    page = await store.list({ ...query, from: page.next })
  ) {
    for (const record of page.records) known.put(record);
    if (page.next === undefined) return;
  }
}

class KnownResources<T> {
  readonly #known = new Map<string, { readonly revision: number; readonly value: T }>();
  readonly #input: Pick<FollowKindInput<T>, "read" | "onChange">;

  constructor(input: Pick<FollowKindInput<T>, "read" | "onChange">) {
    this.#input = input;
  }

  put({ key, revision, body }: StoredRecord | Change): void {
    const text = keyText(key);
    const before = this.#known.get(text);
    if (before !== undefined && before.revision >= revision) return;
    const value = this.#input.read(decodeDocument(body, revision), key);
    this.#known.set(text, { revision, value });
    this.#input.onChange(key, value, before?.value);
  }

  take(change: Change): void {
    if (change.type !== "deleted") {
      this.put(change);
      return;
    }
    const text = keyText(change.key);
    const before = this.#known.get(text);
    if (before === undefined || before.revision >= change.revision) return;
    this.#known.delete(text);
    this.#input.onChange(change.key, undefined, before.value);
  }
}

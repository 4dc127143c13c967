// Wakes the watches of instances: one subscription to the change feed for all of them. A change
// costs one lookup, however many watches there are.

import type { ChangeFeed } from "../../../intents/watch/change-feed.ts";

export type SeenChange = (revision: number) => void;

export class ChangeSignals implements Disposable {
  readonly #feed: Pick<ChangeFeed, "position" | "subscribe">;
  readonly #listeners = new Map<string, Set<SeenChange>>();
  readonly #unsubscribe: () => void;

  constructor(feed: Pick<ChangeFeed, "position" | "subscribe">) {
    this.#feed = feed;
    this.#unsubscribe = feed.subscribe((changes) => {
      if (this.#listeners.size === 0) return;
      for (const { key, revision } of changes) {
        this.#signal(placeOf(key.kind, key.namespace), revision);
        this.#signal(placeOf(key.kind, undefined), revision);
      }
    });
  }

  /** Every change up to this revision has been signalled. */
  get position(): number {
    return this.#feed.position;
  }

  /** Of a kind in a namespace, or in all; until the returned function is called. */
  follow(kind: string, namespace: string | undefined, seen: SeenChange): () => void {
    const place = placeOf(kind, namespace);
    const listeners = this.#listeners.get(place) ?? new Set();
    this.#listeners.set(place, listeners.add(seen));
    return () => {
      listeners.delete(seen);
      if (listeners.size === 0) this.#listeners.delete(place);
    };
  }

  [Symbol.dispose](): void {
    this.#unsubscribe();
  }

  #signal(place: string, revision: number): void {
    for (const seen of this.#listeners.get(place) ?? []) seen(revision);
  }
}

/** A kind has no slash in its id, and a namespace is never "*". */
function placeOf(kind: string, namespace = "*"): string {
  return `${kind}/${namespace}`;
}

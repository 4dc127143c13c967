// Keeps the index of this process equal to the store. It is filled by the first search: first what
// is stored, then each change of the log. The index is behind the log by the changes that wait
// here.

import type { IndexChange, OpenTextIndex, TextIndex } from "../../../adapters/text-index/port.ts";
import type { KindRegistry } from "../../../intents/kinds/registry.ts";
import type { ChangeFeed } from "../../../intents/watch/change-feed.ts";
import { withoutHidden } from "../../../intents/write/hidden-fields.ts";
import { bytePauses } from "../../../kernel/pauses.ts";
import { decodeDocument } from "../../../kernel/document.ts";
import type { Change, Store, StoredRecord } from "../../../store/port.ts";
import { kindIdOf } from "../api/nouns.ts";
import { environmentLimits } from "../limits.ts";
import { entryId, entryOf, searchedNouns } from "./entries.ts";

export interface SearchPorts {
  readonly store: Pick<Store, "list">;
  readonly kinds: Pick<KindRegistry, "byId">;
  readonly openTextIndex: OpenTextIndex;
  readonly onError: (error: unknown) => void;
}

export interface SearchIndex extends AsyncDisposable {
  /** Begins to follow. Searches before this wait for it. */
  start(feed: Pick<ChangeFeed, "subscribe" | "position">): void;
  /** The index, when it has everything up to the revision. */
  at(revision: number, signal: AbortSignal): Promise<TextIndex>;
  /** The revision that the index has. */
  readonly position: number;
}

/** The index is shared work of the server. */
const indexTenant = "search index";

const nounsByKind = new Map(searchedNouns.map((noun) => [kindIdOf(noun), noun]));

export function openSearchIndex(ports: SearchPorts): SearchIndex {
  return new FollowedIndex(ports);
}

class FollowedIndex implements SearchIndex {
  readonly #ports: SearchPorts;
  readonly #waiting: Change[] = [];
  readonly #waiters = new Set<{ readonly revision: number; readonly resolve: () => void }>();
  #feed: Pick<ChangeFeed, "subscribe" | "position"> | undefined;
  #index: TextIndex | undefined;
  #unsubscribe: () => void = () => undefined;
  #position = 0;
  /** The newest revision that the feed has delivered. */
  #delivered = 0;
  #isWorking = false;
  #isClosed = false;

  constructor(ports: SearchPorts) {
    this.#ports = ports;
  }

  get position(): number {
    return this.#position;
  }

  start(feed: Pick<ChangeFeed, "subscribe" | "position">): void {
    this.#feed = feed;
    if (this.#waiters.size > 0) this.#open();
  }

  async at(revision: number, signal: AbortSignal): Promise<TextIndex> {
    this.#open();
    if (this.#index === undefined || this.#position < Math.max(revision, 1)) {
      await this.#reached(Math.max(revision, 1), signal);
    }
    const index = this.#index;
    if (index === undefined) throw new Error("the index is closed");
    return index;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    this.#unsubscribe();
    for (const { resolve } of this.#waiters) resolve();
    const index = this.#index;
    this.#index = undefined;
    await index?.[Symbol.asyncDispose]();
  }

  async #reached(revision: number, signal: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const waiter = { revision, resolve };
    const stop = (): void => resolve();
    this.#waiters.add(waiter);
    signal.addEventListener("abort", stop, { once: true });
    try {
      await promise;
      signal.throwIfAborted();
    } finally {
      this.#waiters.delete(waiter);
      signal.removeEventListener("abort", stop);
    }
  }

  #open(): void {
    if (this.#index !== undefined || this.#feed === undefined || this.#isClosed) return;
    this.#index = this.#ports.openTextIndex();
    this.#unsubscribe = this.#feed.subscribe((changes, through) => {
      for (const change of changes) {
        if (nounsByKind.has(change.key.kind)) this.#waiting.push(change);
      }
      this.#delivered = through;
      this.#work();
    });
    this.#delivered = this.#feed.position;
    this.#work();
  }

  /** One task at a time; an error discards the index, and the next search fills another one. */
  #work(): void {
    const index = this.#index;
    if (this.#isWorking || index === undefined) return;
    this.#isWorking = true;
    this.#catchUp(index)
      .catch(async (error: unknown) => {
        if (this.#isClosed) return;
        this.#ports.onError(error);
        this.#unsubscribe();
        this.#index = undefined;
        this.#position = 0;
        this.#waiting.length = 0;
        await index[Symbol.asyncDispose]();
        if (this.#waiters.size > 0) this.#open();
      })
      .finally(() => {
        this.#isWorking = false;
      })
      .catch((error: unknown) => this.#ports.onError(error));
  }

  async #catchUp(index: TextIndex): Promise<void> {
    if (this.#position === 0) this.#move(await this.#load(index));
    while (this.#position < this.#delivered && !this.#isClosed) {
      const through = this.#delivered;
      const changes = this.#waiting.splice(0);
      const pause = bytePauses(indexTenant);
      for (let at = 0; at < changes.length; at += environmentLimits.indexBatch) {
        const batch = changes.slice(at, at + environmentLimits.indexBatch);
        const newer = batch.filter(({ revision }) => revision > this.#position);
        const puts: IndexChange[] = [];
        for (const change of newer) {
          puts.push(this.#changeOf(change));
          await pause(change.body.length);
        }
        await index.apply(puts);
      }
      this.#move(through);
    }
  }

  #move(position: number): void {
    this.#position = position;
    for (const waiter of this.#waiters) if (waiter.revision <= position) waiter.resolve();
  }

  /** Returns a revision up to which everything is in the index. */
  async #load(index: TextIndex): Promise<number> {
    let least = Number.MAX_SAFE_INTEGER;
    for (const kind of nounsByKind.keys()) {
      const query = { kind, limit: environmentLimits.indexBatch };
      let page = await this.#ports.store.list(query);
      least = Math.min(least, page.revision);
      for (;;) {
        await index.apply(page.records.map((record) => this.#putOf(record)));
        if (page.next === undefined || this.#isClosed) break;
        page = await this.#ports.store.list({ ...query, from: page.next });
      }
    }
    return Math.max(least, 1);
  }

  #changeOf(change: Change): IndexChange {
    if (change.type !== "deleted") return this.#putOf(change);
    const { kind, namespace, name } = change.key;
    return { kind: "remove", id: entryId(nounsByKind.get(kind)?.word ?? "", namespace, name) };
  }

  #putOf({ key, body, revision }: StoredRecord | Change): IndexChange {
    const noun = nounsByKind.get(key.kind);
    const served = this.#ports.kinds.byId(key.kind);
    if (noun === undefined || served === undefined) throw new Error(`${key.kind} is not served`);
    const resource = withoutHidden(served.kind, decodeDocument(body, revision));
    return { kind: "put", entry: entryOf(noun, resource) };
  }
}

// Tells a run under way that what it works on is not wanted any more: the spec has moved on, it is
// being deleted, or it was paused, here or by another process. It aborts nothing: the author
// decides. Whoever lets the reason end the run says nothing about its resource, which goes back and
// is looked at anew. Only runs that ask are looked after: while there is one, the log is read, and
// each change is held against them.

import { AsyncLocalStorage } from "node:async_hooks";
import { decodeDocument } from "../../kernel/document.ts";
import { isPaused } from "../../kernel/paused.ts";
import { keyText } from "../../kernel/resource.ts";
import type { Resource, ResourceKey } from "../../kernel/resource.ts";
import type { Change, ChangePage, StoredRecord } from "../../store/port.ts";
import type { EnginePorts, RunScope } from "../ports.ts";

/** What has happened to a resource while it was worked on. */
export type Supersession = "changed" | "deleted" | "paused";

/** The reason of the signal. A run that ends with it has not failed. */
export class Superseded extends Error {
  readonly why: Supersession;

  constructor(why: Supersession) {
    super(`the resource was ${why} during the run`);
    this.name = "Superseded";
    this.why = why;
  }
}

const maxCauses = 8;

/** Whether an error is, or was caused by, the end that an author gave to such a run. */
export function isSuperseded(error: unknown): boolean {
  let at = error;
  for (let depth = 0; depth < maxCauses && at instanceof Error; depth += 1) {
    if (at instanceof Superseded) return true;
    at = at.cause;
  }
  return false;
}

/** One run that wants to know. */
export interface Listening {
  readonly signal: AbortSignal;
  /** The run is over. */
  end(): void;
}

type SupersededPorts = Pick<EnginePorts, "store" | "timers" | "log">;

/** Looks are not made more often, and a run that is over sooner costs none. */
const paceMs = 100;
const retryMs = 1_000;
const pageItems = 200;

export function supersededPart(ports: SupersededPorts): {
  readonly superseded: (scope: RunScope) => Listening;
} {
  const follower = new Follower(ports);
  return { superseded: (scope) => follower.listen(scope) };
}

/** What `now` means for a run that was given `given`; undefined while it is still wanted. */
export function supersessionOf(
  given: Resource,
  now: Resource | undefined,
): Supersession | undefined {
  if (now === undefined || now.metadata.uid !== given.metadata.uid) return "deleted";
  if (isPaused(now)) return "paused";
  // A removal goes on, whatever is written into what is to go.
  if (given.metadata.deletionTimestamp !== undefined) return undefined;
  if (now.metadata.deletionTimestamp !== undefined) return "deleted";
  return now.metadata.generation === given.metadata.generation ? undefined : "changed";
}

class Listener {
  readonly key: ResourceKey;
  readonly #given: Resource;
  readonly #controller = new AbortController();
  /** A listener of the signal that throws does so in the name of its run. */
  readonly #asRun = AsyncLocalStorage.snapshot();

  constructor(key: ResourceKey, given: Resource) {
    this.key = key;
    this.#given = given;
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Whether it was given this, or something newer: the log is followed at a distance. */
  knows(revision: number): boolean {
    return revision <= Number(this.#given.metadata.resourceVersion);
  }

  see(now: Resource | undefined): void {
    if (this.signal.aborted) return;
    const why = supersessionOf(this.#given, now);
    if (why !== undefined) this.#asRun(() => this.#controller.abort(new Superseded(why)));
  }
}

class Follower {
  readonly #ports: SupersededPorts;
  /** Nearly always one for each key: a run that has lost its lease may go on beside the next. */
  readonly #listeners = new Map<string, Set<Listener>>();
  /** Those who have not been looked at yet. */
  #joining: Listener[] = [];
  #isFollowing = false;
  /** Ends a wait for changes. */
  #news = new AbortController();
  /** Ends everything: nobody listens any more. */
  #silence = new AbortController();

  /** It goes on beside many runs, and is part of none. */
  readonly #apart = AsyncLocalStorage.snapshot();

  constructor(ports: SupersededPorts) {
    this.#ports = ports;
  }

  listen(scope: RunScope): Listening {
    const { key } = scope;
    const listener = new Listener(key, scope.loaded());
    const text = keyText(key);
    const present = this.#listeners.get(text);
    if (present === undefined) this.#listeners.set(text, new Set([listener]));
    else present.add(listener);
    this.#joining.push(listener);
    this.#news.abort();
    if (!this.#isFollowing) void this.#apart(() => this.#follow());
    return { signal: listener.signal, end: () => this.#leave(text, listener) };
  }

  #leave(text: string, listener: Listener): void {
    const present = this.#listeners.get(text);
    present?.delete(listener);
    if (present?.size === 0) this.#listeners.delete(text);
    if (this.#listeners.size === 0) this.#silence.abort();
  }

  async #follow(): Promise<void> {
    this.#isFollowing = true;
    let place: number | undefined;
    let pauseMs = paceMs;
    while (this.#listeners.size > 0) {
      this.#silence = new AbortController();
      try {
        await this.#ports.timers.sleep(pauseMs, this.#silence.signal);
        pauseMs = paceMs;
        place = await this.#look(place);
      } catch (error) {
        if (this.#silence.signal.aborted) continue;
        // What happened meanwhile is found by looking at all of them.
        place = undefined;
        pauseMs = retryMs;
        this.#ports.log.warn({ error }, "runs are not notified of changes; retrying");
      }
    }
    this.#joining = [];
    this.#isFollowing = false;
  }

  /**
   * Looks at what has changed since `after`, and once at everyone who is new, in this order: what
   * changes later is in the log behind the page that was read, and that is read with their kinds.
   */
  async #look(after: number | undefined): Promise<number> {
    const { store } = this.#ports;
    const everyone = [...this.#listeners.values()].flatMap((same) => Array.from(same));
    const fresh = after === undefined ? everyone : this.#joining;
    this.#joining = [];
    this.#news = new AbortController();
    const kinds = [...new Set(everyone.map(({ key }) => key.kind))];
    const { changes, through, revision } =
      after === undefined ? await this.#head() : await store.changes(after, pageItems, { kinds });
    for (const change of changes) this.#see(change);
    await this.#read(fresh);
    if (through >= revision) await this.#untilNews(through);
    return through;
  }

  async #head(): Promise<Pick<ChangePage, "changes" | "through" | "revision">> {
    const { revision } = await this.#ports.store.head();
    return { changes: [], through: revision, revision };
  }

  async #untilNews(after: number): Promise<void> {
    const signal = AbortSignal.any([this.#news.signal, this.#silence.signal]);
    if (signal.aborted) return;
    try {
      await this.#ports.store.advancedBeyond(after, signal);
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }

  async #read(listeners: readonly Listener[]): Promise<void> {
    for (let at = 0; at < listeners.length; at += pageItems) {
      const some = listeners.slice(at, at + pageItems);
      const records = await this.#ports.store.getMany(some.map(({ key }) => key));
      for (const [index, listener] of some.entries()) this.#tell(listener, records[index]);
    }
  }

  #see(change: Change): void {
    const listeners = this.#listeners.get(keyText(change.key));
    if (listeners === undefined) return;
    const now = change.type === "deleted" ? undefined : change;
    for (const listener of listeners) {
      if (!listener.knows(change.revision)) this.#tell(listener, now);
    }
  }

  #tell(listener: Listener, now: Pick<StoredRecord, "body" | "revision"> | undefined): void {
    let resource: Resource | undefined;
    try {
      resource = now === undefined ? undefined : decodeDocument(now.body, now.revision);
    } catch {
      // Whoever claims it next says that it cannot be read.
      return;
    }
    listener.see(resource);
  }
}

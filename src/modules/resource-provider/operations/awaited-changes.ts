// Who waits for a change of a resource, for a moment at most. Work that has just begun is mostly
// over in a moment: who asks for it then is told when that is so, instead of having to ask again
// and again, or to come back after the time that clients are told to wait. Only so many wait at
// once that they are in the way of nobody who does not; nothing is remembered of who does not.

import type { ResourceKey } from "../../../kernel/resource.ts";
import type { Timers } from "../../../kernel/timers.ts";
import type { Change } from "../../../store/port.ts";
import { providerLimits } from "../limits.ts";

/** What is told of a change. */
export type SeenChange = Pick<Change, "key" | "type" | "uid" | "revision" | "previous" | "body">;

/** A quarter of the reads that a server admits at once. */
const mostWaiting = providerLimits.waitingRequests;

export class AwaitedChanges {
  readonly #timers: Timers;
  /** By the name of the resource, of which few are the same, so that no text is made for each. */
  readonly #byName = new Map<string, Set<Wait>>();
  #count = 0;

  constructor(timers: Timers) {
    this.#timers = timers;
  }

  /** To be called before the resource is read, so that no change is missed. */
  begin(about: ResourceKey): AwaitedChange | undefined {
    if (this.#count >= mostWaiting) return undefined;
    const wait = new Wait(about, this.#timers, () => this.#end(wait));
    const known = this.#byName.get(about.name);
    if (known === undefined) this.#byName.set(about.name, new Set([wait]));
    else known.add(wait);
    this.#count += 1;
    return wait;
  }

  /** The resource is another than it was. */
  changed(change: SeenChange): void {
    if (this.#count === 0) return;
    for (const wait of this.#byName.get(change.key.name) ?? []) wait.tell(change);
  }

  #end(wait: Wait): void {
    const known = this.#byName.get(wait.about.name);
    if (known === undefined || !known.delete(wait)) return;
    this.#count -= 1;
    if (known.size === 0) this.#byName.delete(wait.about.name);
  }
}

export interface AwaitedChange extends Disposable {
  /**
   * Looks at each change since the begin, in their order, and waits for the first that something is
   * found in. Undefined when the time is over. Once only.
   */
  within<T>(ms: number, look: (change: SeenChange) => T | undefined): Promise<T | undefined>;
  /** Ends the wait as if the time were over; nobody is interested any more. */
  [Symbol.dispose](): void;
}

class Wait implements AwaitedChange {
  readonly about: ResourceKey;
  readonly #timers: Timers;
  readonly #end: () => void;
  #early: SeenChange[] = [];
  #look: ((change: SeenChange) => void) | undefined;
  #stop: (() => void) | undefined;

  constructor(about: ResourceKey, timers: Timers, end: () => void) {
    this.about = about;
    this.#timers = timers;
    this.#end = end;
  }

  async within<T>(ms: number, look: (change: SeenChange) => T | undefined): Promise<T | undefined> {
    for (const change of this.#early) {
      const found = look(change);
      if (found !== undefined) return found;
    }
    if (ms <= 0) return undefined;
    const { promise, resolve, reject } = Promise.withResolvers<T | undefined>();
    // What goes wrong is told to who waits, not to who tells.
    this.#look = (change) => {
      try {
        const found = look(change);
        if (found !== undefined) resolve(found);
      } catch (error) {
        reject(error);
      }
    };
    this.#stop = () => resolve(undefined);
    const cancel = this.#timers.after(ms, this.#stop);
    try {
      return await promise;
    } finally {
      this.#look = undefined;
      cancel();
    }
  }

  tell(change: SeenChange): void {
    const { kind, namespace } = change.key;
    if (kind !== this.about.kind || namespace !== this.about.namespace) return;
    if (this.#look === undefined) this.#early.push(change);
    else this.#look(change);
  }

  [Symbol.dispose](): void {
    this.#end();
    this.#early = [];
    this.#stop?.();
  }
}

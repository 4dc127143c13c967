// Who waits for the next change of a resource, for a moment at most. Work that has just begun is
// mostly over in a moment: who asks for it then is told when that is so, instead of having to ask
// again and again, or to come back after the time that clients are told to wait. Only so many wait
// at once that they are in the way of nobody who does not; nothing is remembered of who does not.

import type { ResourceKey } from "../../kernel/resource.ts";
import type { Timers } from "../../kernel/timers.ts";
import type { Change } from "../../store/port.ts";

/** What is told of a change. */
export type SeenChange = Pick<Change, "key" | "type" | "uid" | "revision" | "previous" | "body">;

/** A quarter of the reads that may be under way at once. */
const mostWaiting = 100;

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
   * The last one since the begin that is newer than the revision, as soon as there is one;
   * undefined when the time is over.
   */
  within(ms: number, beyond?: number): Promise<SeenChange | undefined>;
}

class Wait implements AwaitedChange {
  readonly about: ResourceKey;
  readonly #timers: Timers;
  readonly #end: () => void;
  #change: SeenChange | undefined;
  /** What is not newer is not waited for. */
  #beyond = 0;
  #wake: (() => void) | undefined;

  constructor(about: ResourceKey, timers: Timers, end: () => void) {
    this.about = about;
    this.#timers = timers;
    this.#end = end;
  }

  async within(ms: number, beyond = 0): Promise<SeenChange | undefined> {
    this.#beyond = beyond;
    if (this.#change !== undefined && this.#change.revision <= beyond) this.#change = undefined;
    if (this.#change !== undefined || ms <= 0) return this.#change;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#wake = resolve;
    const cancel = this.#timers.after(ms, resolve);
    await promise;
    cancel();
    return this.#change;
  }

  tell(change: SeenChange): void {
    const { kind, namespace } = change.key;
    if (kind !== this.about.kind || namespace !== this.about.namespace) return;
    if (change.revision <= this.#beyond) return;
    this.#change = change;
    this.#wake?.();
  }

  [Symbol.dispose](): void {
    this.#end();
  }
}

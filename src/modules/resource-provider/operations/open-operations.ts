// The operations whose end is not recorded yet, as far as this process accepted them or came by
// them. How they ended is told from their resources whenever somebody asks; it is recorded a moment
// after, many at a time, so that no request waits for it, kubectl shows it, and it outlives its
// resource, the history of the store and a backup. While very much is accepted it waits for a
// quieter moment, for a minute at most, and then goes on slowly, so that it takes little from what
// is accepted meanwhile. Those of other processes are looked at each minute only: who accepted them
// has recorded them by then, unless it is gone. What is forgotten here is found by the sweep.

import { isSameKey } from "../../../kernel/resource.ts";
import type { ResourceKey } from "../../../kernel/resource.ts";
import { providerLimits } from "../limits.ts";

/** Requests that follow each other are recorded together. */
export const recordedAfterMs = 1_000;
/** Some ends come with time alone. */
const lookedAtMs = 60_000;
const mostOpen = providerLimits.openOperations;
/** More than this many accepted within the time is much. */
const muchAccepted = 100;
const muchWithinMs = 5_000;
const longestWaitMs = 60_000;
/** Of those that have waited long enough, at each look; a part of them, where that is more. */
const mostWhileMuch = 200;
const partWhileMuch = 1 / 40;

export interface OpenOperation {
  readonly key: ResourceKey;
  /** The resource. */
  readonly about: ResourceKey;
}

interface Noted extends OpenOperation {
  dueMs: number;
  /** Another process accepted it, and will record its end if it can. */
  readonly isOthers: boolean;
}

export class OpenOperations {
  /** By the name of the resource, of which few are the same, so that no text is made for each. */
  readonly #byName = new Map<string, Noted[]>();
  /** By the name of the operation. */
  readonly #known = new Map<string, Noted>();
  /** What was accepted in this time and in the one before it. */
  #accepted = { sinceMs: 0, now: 0, before: 0 };
  /** Since when there is something to be recorded that waits for a quieter moment. */
  #waitsSinceMs: number | undefined;
  #arrived = Promise.withResolvers<void>();

  /** One that this process has accepted; the change feed may have reported it before. */
  note(key: ResourceKey, about: ResourceKey, nowMs: number): void {
    const known = this.#known.get(key.name);
    if (known?.isOthers === false) return;
    if (known !== undefined) this.settle(key);
    this.#add({ key, about, dueMs: nowMs + recordedAfterMs, isOthers: false });
    this.#countTo(nowMs);
    this.#accepted.now += 1;
  }

  /** One that another process may have accepted. Its resource is of no interest. */
  noteOthers(key: ResourceKey, nowMs: number): void {
    if (this.knows(key)) return;
    this.#add({ key, about: key, dueMs: nowMs + lookedAtMs, isOthers: true });
  }

  knows({ name }: ResourceKey): boolean {
    return this.#known.has(name);
  }

  /** The resource is another than it was, so its operations may have ended. */
  changed(about: ResourceKey, nowMs: number): void {
    if (this.#known.size === 0) return;
    const dueMs = nowMs + recordedAfterMs;
    for (const open of this.#byName.get(about.name) ?? []) {
      if (!open.isOthers && isSameKey(open.about, about)) open.dueMs = Math.min(open.dueMs, dueMs);
    }
  }

  /** Those to be looked at now; they come again later unless they are settled. */
  take(nowMs: number): readonly OpenOperation[] {
    this.#waitsSinceMs ??= nowMs;
    const mayWait = nowMs < this.#waitsSinceMs + longestWaitMs && this.#known.size < mostOpen / 2;
    const isMuch = this.#isMuch(nowMs);
    if (mayWait && isMuch) return [];
    const most = isMuch ? Math.max(mostWhileMuch, this.#known.size * partWhileMuch) : mostOpen;
    const due: OpenOperation[] = [];
    for (const [name, all] of this.#byName) {
      // What is left waits no longer than until the next look.
      if (due.length >= most) return due;
      const before = due.length;
      for (const open of all) {
        // Who accepted them has much to do as well, and is busy with the same ones.
        if (open.dueMs > nowMs || (isMuch && open.isOthers)) continue;
        open.dueMs = nowMs + lookedAtMs;
        due.push(open);
      }
      if (due.length > before) this.#putLast(name, all);
    }
    this.#waitsSinceMs = undefined;
    return due;
  }

  /** Its end is recorded, or it is not there any more. */
  settle({ name }: ResourceKey): void {
    const open = this.#known.get(name);
    if (open === undefined) return;
    this.#known.delete(name);
    const { about } = open;
    const left = (this.#byName.get(about.name) ?? []).filter(({ key }) => key.name !== name);
    if (left.length === 0) this.#byName.delete(about.name);
    else this.#byName.set(about.name, left);
  }

  /** Resolves once there is any. */
  async arrived(): Promise<void> {
    if (this.#known.size > 0) return;
    this.#arrived = Promise.withResolvers();
    await this.#arrived.promise;
  }

  #add(open: Noted): void {
    if (this.#known.size >= mostOpen) this.#forgetOldest();
    const { key, about } = open;
    const known = this.#byName.get(about.name);
    if (known === undefined) this.#byName.set(about.name, [open]);
    else known.push(open);
    this.#known.set(key.name, open);
    this.#arrived.resolve();
  }

  /** The next look begins with others. This one comes by it again, and then it is not due. */
  #putLast(name: string, all: Noted[]): void {
    this.#byName.delete(name);
    this.#byName.set(name, all);
  }

  #isMuch(nowMs: number): boolean {
    this.#countTo(nowMs);
    return this.#accepted.now + this.#accepted.before > muchAccepted;
  }

  #countTo(nowMs: number): void {
    const { sinceMs, now } = this.#accepted;
    if (nowMs < sinceMs + muchWithinMs) return;
    const isNext = nowMs < sinceMs + 2 * muchWithinMs;
    this.#accepted = { sinceMs: nowMs, now: 0, before: isNext ? now : 0 };
  }

  #forgetOldest(): void {
    for (const { key } of this.#known.values()) {
      this.settle(key);
      return;
    }
  }
}

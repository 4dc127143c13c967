/**
 * The newest changes, kept in memory with their bytes, so that watchers, the engine and other
 * followers of the log read what was just committed without asking the database. Because revisions
 * have no gaps, the window [first, head] is a plain array and "what am I missing?" is arithmetic.
 * It is bounded in bytes; a reader that falls behind it reads the database instead. The newest
 * change of each key in the window is found by its key, so that what was just written need not be
 * read to be written again.
 *
 * It also keeps the waiters: `advancedBeyond` and `workArrived` of the port.
 */
import { assert } from "../kernel/assert.ts";
import { limits } from "../kernel/limits.ts";
import { keyText } from "../kernel/resource.ts";
import type { ChangesQuery } from "./arguments.ts";
import { erasureKind } from "./erasure.ts";
import type { Change, ChangePage, StoredRecord } from "./port.ts";

const overheadBytes = 512;

export type RecentPage = Pick<ChangePage, "changes" | "through">;

export class RecentLog {
  readonly #maxBytes: number;
  readonly #newest = new Map<string, Change>();
  /** Undefined before the start: a change that has left the window must not keep its bytes. */
  #changes: (Change | undefined)[] = [];
  /** keyText of their keys, made once: texts that are made again and again keep the GC busy. */
  #ids: string[] = [];
  #start = 0;
  #bytes = 0;
  #head: number;
  readonly revisionSignal: Signal;
  readonly workSignal = new Signal(0);

  constructor(head: number, maxBytes: number = limits.recentLogBytes) {
    this.#head = head;
    this.#maxBytes = maxBytes;
    this.revisionSignal = new Signal(head);
  }

  get head(): number {
    return this.#head;
  }

  /** Where the window begins; behind the head when it is empty. */
  get first(): number {
    return this.#head - (this.#changes.length - this.#start) + 1;
  }

  /**
   * The next changes in order: the first must follow the head. Wakes those who wait for it.
   * @param ids keyText of their keys, from those who know it.
   */
  append(changes: readonly Change[], ids?: readonly string[]): void {
    for (let index = 0; index < changes.length; index += 1) {
      const change = changes[index];
      if (change === undefined) break;
      assert(change.revision === this.#head + 1, "the recent log is appended without gaps");
      const id = ids?.[index] ?? keyText(change.key);
      this.#changes.push(change);
      this.#ids.push(id);
      // What could not be opened may be the next time, when its key has come.
      if (change.unopened === undefined) this.#newest.set(id, change);
      else this.#newest.delete(id);
      this.#bytes += change.body.length + overheadBytes;
      this.#head = change.revision;
    }
    if (changes.some(({ key }) => key.kind === erasureKind)) this.#empty();
    this.#trim();
    this.revisionSignal.advanceTo(this.#head);
  }

  /** Jumps to a head whose changes nobody here needs yet; they are read from the database. */
  skipTo(head: number): void {
    if (head <= this.#head) return;
    this.#empty();
    this.#head = head;
    this.revisionSignal.advanceTo(head);
  }

  /** The newest change in the window of the key with this text, which may be its deletion. */
  newest(id: string): Change | undefined {
    return this.#newest.get(id);
  }

  /** The change of this revision, if it is in the window. */
  at(revision: number): Change | undefined {
    return revision < this.first ? undefined : this.#changes[this.#start + revision - this.first];
  }

  /** For when the database may be ahead of the log: no key is known any more. */
  forgetKeys(): void {
    this.#newest.clear();
  }

  /** The page of the log that was asked for; undefined: the window begins too late to know. */
  read(query: ChangesQuery, maxBytes: number): RecentPage | undefined {
    const { after, limit } = query;
    const kinds = query.kinds === undefined ? undefined : new Set(query.kinds);
    const { first } = this;
    if (after + 1 < first) return undefined;
    const page: Change[] = [];
    let bytes = 0;
    for (let index = this.#start + (after + 1 - first); index < this.#changes.length; index += 1) {
      const change = this.#changes[index];
      if (change === undefined || page.length >= limit) break;
      if (kinds?.has(change.key.kind) === false) continue;
      bytes += change.body.length;
      if (bytes > maxBytes && page.length > 0) return pageTo(page, after);
      page.push(change);
    }
    return page.length >= limit ? pageTo(page, after) : { changes: page, through: this.#head };
  }

  /** The window may have what was erased from the database. */
  #empty(): void {
    this.#changes = [];
    this.#ids = [];
    this.#newest.clear();
    this.#start = 0;
    this.#bytes = 0;
  }

  #trim(): void {
    while (this.#bytes > this.#maxBytes && this.#start < this.#changes.length) {
      this.#drop(this.#start);
      this.#start += 1;
    }
    // Moving the array is linear, so it is done once per half.
    if (this.#start > 1_024 && this.#start * 2 > this.#changes.length) {
      this.#changes = this.#changes.slice(this.#start);
      this.#ids = this.#ids.slice(this.#start);
      this.#start = 0;
    }
  }

  #drop(index: number): void {
    const [oldest, id] = [this.#changes[index], this.#ids[index]];
    if (oldest === undefined || id === undefined) return;
    this.#changes[index] = undefined;
    this.#bytes -= oldest.body.length + overheadBytes;
    if (this.#newest.get(id) === oldest) this.#newest.delete(id);
  }
}

/** The state that a change left behind; undefined after a deletion. */
export function recordOf({ type, key, uid, revision, body }: Change): StoredRecord | undefined {
  return type === "deleted" ? undefined : { key, uid, revision, body };
}

/** A page that ends before the log does. */
function pageTo(changes: readonly Change[], after: number): RecentPage {
  return { changes, through: changes.at(-1)?.revision ?? after };
}

interface Waiter {
  readonly seen: number;
  readonly wake: (value: number) => void;
  readonly fail: (reason: Error) => void;
}

/** Everyone who waits with the same AbortSignal: they share one listener on it. */
interface Company {
  readonly members: Set<Waiter>;
  readonly abort: () => void;
}

/** A number that only grows, and those who wait for it to pass a value. */
export class Signal {
  #value: number;
  readonly #waiters = new Set<Waiter>();
  readonly #companies = new Map<AbortSignal, Company>();

  constructor(value: number) {
    this.#value = value;
  }

  get value(): number {
    return this.#value;
  }

  advance(): void {
    this.advanceTo(this.#value + 1);
  }

  advanceTo(value: number): void {
    if (value <= this.#value) return;
    this.#value = value;
    for (const waiter of this.#waiters) if (waiter.seen < value) waiter.wake(value);
  }

  async beyond(seen: number, signal?: AbortSignal): Promise<number> {
    signal?.throwIfAborted();
    if (this.#value > seen) return this.#value;
    return await new Promise<number>((resolve, fail) => {
      const waiter: Waiter = {
        seen,
        fail,
        wake: (value: number): void => {
          this.#waiters.delete(waiter);
          if (signal !== undefined) this.#leave(signal, waiter);
          resolve(value);
        },
      };
      this.#waiters.add(waiter);
      if (signal !== undefined) this.#companyOf(signal).members.add(waiter);
    });
  }

  /** Listeners are found and removed one by one, so a signal that thousands share gets one. */
  #companyOf(signal: AbortSignal): Company {
    const present = this.#companies.get(signal);
    if (present !== undefined) return present;
    const members = new Set<Waiter>();
    const abort = (): void => {
      this.#companies.delete(signal);
      for (const waiter of members) {
        this.#waiters.delete(waiter);
        waiter.fail(signal.reason as Error);
      }
    };
    const company = { members, abort };
    this.#companies.set(signal, company);
    signal.addEventListener("abort", abort, { once: true });
    return company;
  }

  #leave(signal: AbortSignal, waiter: Waiter): void {
    const company = this.#companies.get(signal);
    if (company === undefined) return;
    company.members.delete(waiter);
    if (company.members.size > 0) return;
    this.#companies.delete(signal);
    signal.removeEventListener("abort", company.abort);
  }
}

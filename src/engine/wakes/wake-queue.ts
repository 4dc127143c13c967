// What the log asks for and has not been committed yet. One change may wake ten thousand, so it is
// committed in portions, and the log is read on between them: what a later change asks for takes
// its turn in the next portion, and does not wait behind all of an earlier one. Turns are taken
// between the namespaces of those who are woken, and within one between what changed. How far the
// log was dealt with follows the oldest page of which anything is left.

import { keyText } from "../../kernel/resource.ts";
import type { ResourceKey } from "../../kernel/resource.ts";
import type { Delete, Schedule } from "../../store/port.ts";
import type { Consequences } from "./changes-to-wakes.ts";
import { wake } from "./wakes.ts";

/** A part of the log that was read. */
export interface ReadPage {
  readonly through: number;
  /** Whether it is worth storing that it was dealt with. */
  readonly isNews: boolean;
}

export interface Portion {
  readonly wakes: readonly Schedule[];
  readonly removals: readonly Delete[];
}

interface Page extends ReadPage {
  left: number;
}

interface Entry {
  readonly key: ResourceKey;
  readonly page: Page;
  readonly removal: Delete | undefined;
  /** Undefined: whichever is there. */
  uid: string | undefined;
}

interface Lane {
  readonly entries: Entry[];
  next: number;
}

export class WakeQueue {
  readonly #entries = new Map<string, Entry>();
  /** By namespace and cause; whoever had its turn goes to the end. */
  readonly #lanes = new Map<string, Map<string, Lane>>();
  readonly #pages: Page[] = [];
  #taken: readonly Entry[] = [];

  get size(): number {
    return this.#entries.size;
  }

  add({ wakes, removals }: Consequences, read: ReadPage): void {
    const page = { ...read, left: 0 };
    this.#pages.push(page);
    for (const { key, uid, cause } of wakes) {
      this.#put({ key, uid, page, removal: undefined }, cause);
    }
    for (const removal of removals) {
      this.#put({ key: removal.key, uid: undefined, page, removal }, "");
    }
  }

  /** The next to be committed; call `done` once they are. */
  take(most: number): Portion {
    const taken: Entry[] = [];
    while (taken.length < most) {
      const entry = this.#next();
      if (entry === undefined) break;
      this.#entries.delete(keyText(entry.key));
      taken.push(entry);
    }
    this.#taken = taken;
    return {
      wakes: taken.flatMap(({ key, uid, removal }) =>
        removal === undefined ? wake(key, uid) : [],
      ),
      removals: taken.flatMap(({ removal }) => removal ?? []),
    };
  }

  /** What was taken is committed. Returns the last page up to which nothing is left, if another. */
  done(): ReadPage | undefined {
    for (const { page } of this.#taken) page.left -= 1;
    this.#taken = [];
    let last: ReadPage | undefined;
    for (;;) {
      const [first] = this.#pages;
      if (first === undefined || first.left > 0) return last;
      last = { through: first.through, isNews: first.isNews || last?.isNews === true };
      this.#pages.shift();
    }
  }

  #put(entry: Entry, cause: string): void {
    const text = keyText(entry.key);
    const present = this.#entries.get(text);
    if (present !== undefined) {
      // It comes after this change, too. Of two namesakes whichever is there is woken.
      if (present.uid !== entry.uid) present.uid = undefined;
      return;
    }
    this.#entries.set(text, entry);
    const { page } = entry;
    page.left += 1;
    const { namespace } = entry.key;
    const causes = this.#lanes.get(namespace) ?? new Map<string, Lane>();
    this.#lanes.set(namespace, causes);
    const lane = causes.get(cause);
    if (lane === undefined) causes.set(cause, { entries: [entry], next: 0 });
    else lane.entries.push(entry);
  }

  #next(): Entry | undefined {
    const [first] = this.#lanes;
    if (first === undefined) return undefined;
    const [namespace, causes] = first;
    this.#lanes.delete(namespace);
    const [turn] = causes;
    if (turn === undefined) return this.#next();
    const [cause, lane] = turn;
    causes.delete(cause);
    const entry = lane.entries[lane.next];
    lane.next += 1;
    if (lane.next < lane.entries.length) causes.set(cause, lane);
    if (causes.size > 0) this.#lanes.set(namespace, causes);
    return entry;
  }
}

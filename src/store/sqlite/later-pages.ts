// Reading is synchronous, so a loop over the pages of a list would block the event loop until its
// last page. The first page is read at once. Later ones take turns: in one turn of the event loop
// they read about one full page together, and lists of different namespaces alternate.

import { countedTurns } from "../../kernel/fair-turns.ts";
import type { FairTurns } from "../../kernel/fair-turns.ts";
import { limits } from "../../kernel/limits.ts";
import type { ListQuery, Page } from "../port.ts";

export class LaterPages {
  readonly #turns: FairTurns;

  constructor(turns: FairTurns = countedTurns("pages of lists", limits.maxPageBytes)) {
    this.#turns = turns;
  }

  read(query: ListQuery, read: () => Page): Page | Promise<Page> {
    if (query.from === undefined) return read();
    const { promise, resolve, reject } = Promise.withResolvers<Page>();
    this.#turns.add(query.namespace ?? "", () => {
      try {
        const page = read();
        this.#turns.spend(costOf(page));
        resolve(page);
      } catch (error) {
        reject(error);
      }
      return false;
    });
    return promise;
  }
}

/** A page with a next one is full, or has taken as long to look through. */
function costOf({ records, next }: Page): number {
  if (next !== undefined) return limits.maxPageBytes;
  return records.reduce((sum, { body }) => sum + body.length, 0);
}

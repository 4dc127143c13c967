// Memory, and a turn of the event loop, for the pages of a list. Memory is taken before a page is
// read, at its largest size, and corrected when the page is there. A streamed list holds one page
// at a time: the client has taken the last one when the next is read. A list that is collected
// holds all of its pages.

import type { PageMemory } from "../../contract/page-memory.ts";
import { limits } from "../../kernel/limits.ts";
import type { Exchange } from "./exchange.ts";

type Held = Pick<Exchange, "reserve" | "hold" | "pageTurn" | "pageRead">;

/** `factor`: how many times the usual memory a page needs, as for documents in another form. */
export function streamedPages(exchange: Held, factor = 1): PageMemory {
  let isFirst = true;
  return {
    before: () => {
      // A request must not hold memory while it waits for more.
      if (!isFirst) exchange.hold(0);
      isFirst = false;
      return turnAfter(exchange, exchange.reserve(limits.pageMemoryBytes * factor));
    },
    after: (bytes, hasNext) => {
      exchange.hold(bytes * copies * factor);
      exchange.pageRead(readBytes(bytes, hasNext));
    },
    drop: () => exchange.hold(0),
  };
}

export function collectedPages(exchange: Held): PageMemory {
  let collected = 0;
  return {
    before: () => turnAfter(exchange, exchange.reserve(collected + limits.pageMemoryBytes)),
    after: (bytes, hasNext) => {
      exchange.pageRead(readBytes(bytes, hasNext));
      collected += bytes * copies;
      exchange.hold(collected);
    },
    drop: () => {
      collected = 0;
      exchange.hold(0);
    },
  };
}

function readBytes(bytes: number, hasNext = false): number {
  return hasNext ? Math.max(bytes, limits.maxPageBytes) : bytes;
}

/** The turn comes last: memory may be waited for. */
function turnAfter(exchange: Held, reserved: Promise<void> | undefined): Promise<void> | undefined {
  return reserved === undefined ? exchange.pageTurn() : reserved.then(() => exchange.pageTurn());
}

/** The documents, and the response that is made from them. */
const copies = 2;

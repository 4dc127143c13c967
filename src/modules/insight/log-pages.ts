// Reads of the log that have memory, and a turn of the event loop, for each page. A tenant that
// reads much waits between pages, while requests of other tenants are handled.

import type { PageMemory } from "../../contract/page-memory.ts";
import type { RoutePorts } from "../../contract/route.ts";
import type { Change, HistoryOptions } from "../../store/port.ts";

type Log = Pick<RoutePorts["store"], "head" | "changes" | "history">;

/** The log without documents: they are dropped with their page, after `note` has seen each. */
export function logWithoutDocuments(
  store: Log,
  pages: PageMemory,
  note?: (change: Change) => void,
): Log {
  return {
    head: () => store.head(),
    changes: async (...asked) => {
      await pages.before();
      const page = await store.changes(...asked);
      if (note !== undefined) page.changes.forEach(note);
      const changes = withoutDocuments(page.changes, pages, page.through < page.revision);
      return { ...page, changes };
    },
    history: async (...asked) => {
      await pages.before();
      return withoutDocuments(await store.history(...asked), pages);
    },
  };
}

type ReadHistory = (options: HistoryOptions) => Promise<readonly Change[]>;

export function historyInPages(read: ReadHistory, pages: PageMemory): ReadHistory {
  return async (options) => {
    await pages.before();
    const changes = await read(options);
    pages.after(bytesOf(changes));
    return changes;
  };
}

/** Decoding and comparing documents blocks the event loop as reading them does. */
export async function inTurn<T>(
  changes: readonly (Change | undefined)[],
  pages: PageMemory,
  run: () => Promise<T>,
): Promise<T> {
  await pages.before();
  const result = await run();
  pages.after(bytesOf(changes.filter((change) => change !== undefined)));
  return result;
}

function withoutDocuments(
  changes: readonly Change[],
  pages: PageMemory,
  hasNext = false,
): readonly Change[] {
  pages.after(bytesOf(changes), hasNext);
  pages.drop();
  return changes.map((change) => ({ ...change, body: noDocument }));
}

const noDocument = Buffer.alloc(0);

function bytesOf(changes: readonly Change[]): number {
  return changes.reduce((sum, { body }) => sum + body.length + perChange, 0);
}

/** What a change costs beside its document. */
const perChange = 512;

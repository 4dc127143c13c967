// Of some kinds the status is only told to people, by the control plane itself: who refers to such
// a resource goes by its spec, so a change of the status alone concerns nobody. What each said last
// is kept in memory, read once and then followed. In doubt a change is news: what was seen before,
// or cannot be read, wakes those who refer to it as ever.

import { decodeDocument } from "../../kernel/document.ts";
import { keyText } from "../../kernel/resource.ts";
import type { Change, Store } from "../../store/port.ts";

export interface QuietStatus {
  /** Whether a change is one for those who refer to its resource. To be asked in order. */
  isNews(change: Change): boolean;
}

interface Said {
  readonly revision: number;
  /** Everything that counts. */
  readonly text: string | undefined;
}

export async function loadQuietStatus(
  store: Pick<Store, "list">,
  kinds: readonly string[],
  signal: AbortSignal,
): Promise<QuietStatus> {
  const known = new Map<string, Said>();
  for (const kind of kinds) {
    let page = await store.list({ kind });
    for (;;) {
      for (const { key, revision, uid, body } of page.records) {
        known.set(keyText(key), { revision, text: saidBy(uid, body) });
      }
      if (page.next === undefined) break;
      signal.throwIfAborted();
      page = await store.list({ kind, from: page.next });
    }
  }
  const quiet = new Set(kinds);
  return {
    isNews: ({ key, type, revision, uid, body }) => {
      if (!quiet.has(key.kind)) return true;
      const name = keyText(key);
      const before = known.get(name);
      // Older than what is known: what came before it is not known any more.
      if (before !== undefined && revision <= before.revision) return true;
      if (type === "deleted") {
        known.delete(name);
        return true;
      }
      const text = saidBy(uid, body);
      known.set(name, { revision, text });
      return text === undefined || text !== before?.text;
    },
  };
}

/** Of a resource whose status does not count, what does; undefined: it cannot be read. */
export function saidBy(uid: string, body: Buffer): string | undefined {
  try {
    const { generation, deletionTimestamp } = decodeDocument(body, 0).metadata;
    return `${uid} ${generation} ${deletionTimestamp ?? ""}`;
  } catch {
    return undefined;
  }
}

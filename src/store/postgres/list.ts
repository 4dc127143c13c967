/** Lists: one statement, one snapshot, the compaction mark included. */
import { limits } from "../../kernel/limits.ts";
import type { ResourceKey } from "../../kernel/resource.ts";
import type { ListQuery, Page, StoredRecord } from "../port.ts";
import { listStatement } from "./list-query.ts";
import { cutPage, isPlain, plainPage, plainStatement } from "./plain-list.ts";
import { checkReadable, headOf } from "./reads.ts";
import type { Reading } from "./reads.ts";
import { shownRecord } from "./rows.ts";
import type { Statement } from "./session.ts";

/** Shapes of queries that keep a prepared statement per connection; rare ones are planned anew. */
const maxNamed = 64;
const names = new Map<string, string>();

export async function readPage({ pool, ring }: Reading, query: ListQuery): Promise<Page> {
  const limit = Math.min(query.limit ?? limits.defaultPageItems, limits.maxPageItems);
  if (isPlain(query)) {
    const { text, values } = plainStatement(query, limit);
    const page = plainPage({ ring, query, limit }, await pool.rows(named(text), values));
    if (page !== undefined) return page;
  }
  const at = query.from?.revision ?? query.at;
  const { text, values } = listStatement(query, at, limit + 1);
  const rows = await pool.rows(named(text), values);
  const [head, compacted] = headOf(rows);
  const revision = at ?? head;
  checkReadable(revision, head, compacted);
  const count = rows[0]?.[4] as number | null | undefined;
  const records: StoredRecord[] = [];
  let last: ResourceKey | undefined;
  for (const row of rows.slice(1)) {
    const isMatch = row[4] !== null;
    const isCut = isMatch && (records.length >= limit || row[6] === null);
    if (isCut) return cutPage({ revision, records, last, count });
    const namespace = query.namespace ?? (row[2] as string);
    last = { kind: query.kind, namespace, name: row[3] as string };
    if (isMatch) records.push(shownRecord(ring, last, row, 4));
    if (row[8] === true) return cutPage({ revision, records, last, count });
  }
  return { revision, records };
}

function named(text: string): Statement {
  let name = names.get(text);
  if (name === undefined && names.size < maxNamed) {
    name = `list_${names.size}`;
    names.set(text, name);
  }
  return name === undefined ? { text } : { name, text };
}

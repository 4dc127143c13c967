/**
 * Lists without selectors on the newest snapshot: what is asked for most. Every row is a record of
 * the page, so all that must be known beforehand is which changes it shows. They are collected into
 * one array and looked up in the order of the log, which costs less than a join that looks up one
 * after the other; the array says in which order they belong into the list. What was written in one
 * go is beside each other in the log and is read as one range, which costs a quarter less than a
 * lookup of each. A page that may have to be cut because of its bytes is left to list-query.ts.
 */
import { assert } from "../../kernel/assert.ts";
import { limits } from "../../kernel/limits.ts";
import type { ResourceKey } from "../../kernel/resource.ts";
import { readLimits } from "../arguments.ts";
import type { KeyRing } from "../key-ring.ts";
import type { ListQuery, Page, StoredRecord } from "../port.ts";
import { bounds, counted, sharedOf } from "./list-query.ts";
import type { ListStatement } from "./list-query.ts";
import { checkReadable, firstOf } from "./reads.ts";
import { shownRecord } from "./rows.ts";
import type { Row } from "./session.ts";

/** How many records there are, if that was asked for and is cheap to tell. */
type Count = number | null | undefined;
type PageText = readonly [compacted: number, count: Count, revisions: readonly number[] | null];

/** So many changes of others may be in between: those of the same kind are read along. */
const mostBetween = 16;

interface Cut {
  readonly revision: number;
  readonly records: readonly StoredRecord[];
  readonly last: ResourceKey | undefined;
  readonly count: Count;
}

interface PlainQuery {
  readonly ring: KeyRing;
  readonly query: ListQuery;
  readonly limit: number;
}

export function isPlain({ labels = [], fields = [], owner, at, from }: ListQuery): boolean {
  const isSelective = labels.length > 0 || fields.length > 0 || owner !== undefined;
  return !isSelective && at === undefined && from === undefined;
}

/**
 * Columns of the first row: a JSON text and the revision. The text has the compaction mark, how
 * many records there are if that was asked for, and the revisions of the page and of one more.
 * Columns of the others, in no order and perhaps with some too many: name, revision, uid, document,
 * sealed, and the namespace if all are asked for. When they might not fit a page of the largest
 * size, there are no others.
 */
export function plainStatement(query: ListQuery, limit: number): ListStatement {
  const { shared, values } = sharedOf(query, undefined, limit + 1);
  const most = shared.place(limits.maxPageBytes);
  const [none, namespace] = query.namespace === undefined ? [", NULL", ", c.namespace"] : ["", ""];
  const changes = `SELECT c.name, c.revision, c.uid, c.document::varchar, c.sealed${namespace}
    FROM change c WHERE c.revision`;
  const text = `WITH page AS MATERIALIZED (
      SELECT array_agg(k.revision) AS revisions, sum(k.size) <= ${most} AS fits,
        min(k.revision) AS first, max(k.revision) AS last,
        max(k.revision) - min(k.revision) < count(*) + ${mostBetween} AS together
      FROM (SELECT r.revision, r.size FROM resource r
        WHERE r.kind = ${shared.kind}${bounds(shared, "r")}
        ORDER BY r.namespace, r.name LIMIT ${shared.limit}) k)
    SELECT json_build_array(h.compacted, ${counted(shared)}, p.revisions)::text, h.revision,
      NULL::text, NULL::varchar, NULL::bytea${none} FROM head h CROSS JOIN page p WHERE h.one
    UNION ALL
    ${changes} = ANY ((SELECT p.revisions[1:${shared.limit} - 1] FROM page p
      WHERE p.fits AND NOT p.together)::bigint[])
    UNION ALL
    ${changes} BETWEEN (SELECT p.first FROM page p WHERE p.fits AND p.together)
      AND (SELECT p.last FROM page p WHERE p.fits AND p.together) AND c.kind = ${shared.kind}`;
  return { text, values };
}

/** Undefined when the records might not fit one page. */
export function plainPage(
  { ring, query, limit }: PlainQuery,
  rows: readonly Row[],
): Page | undefined {
  const [text, revision] = firstOf(rows) as readonly [string, number];
  const [compacted, count, shown] = JSON.parse(text) as PageText;
  checkReadable(revision, revision, compacted);
  const records: StoredRecord[] = [];
  if (shown === null) return { revision, records };
  if (rows.length === 1) return undefined;
  const changes = new Map(rows.slice(1).map((row) => [row[1], row]));
  let last: ResourceKey | undefined;
  for (const change of shown.slice(0, limit)) {
    const row = changes.get(change);
    assert(row !== undefined, `change ${change} of the snapshot is there`);
    const namespace = query.namespace ?? (row[5] as string);
    last = { kind: query.kind, namespace, name: row[0] as string };
    records.push(shownRecord(ring, last, row, 1));
  }
  const isCut = records.length < shown.length;
  return isCut ? cutPage({ revision, records, last, count }) : { revision, records };
}

/** A page that ends at its last key, before the list does. */
export function cutPage({ revision, records, last, count }: Cut): Page {
  if (last === undefined) return { revision, records };
  const next = { revision, namespace: last.namespace, name: last.name };
  const remaining = (count ?? Number.POSITIVE_INFINITY) - records.length;
  if (remaining > readLimits.countedItems) return { revision, records, next };
  return { revision, records, next, remaining };
}

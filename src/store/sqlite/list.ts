/**
 * Lists. On the newest snapshot a selector is answered from the inverted index: the requirement
 * that matches fewest drives, in the order of the page, and the others are checked on the terms of
 * each row. A snapshot of the past is the rows not touched since, merged with what the first
 * change since has replaced.
 *
 * A page looks at a bounded number of rows and bytes: with a selector that matches little it may
 * be short or empty and still have a `next`.
 */
import { limits } from "../../kernel/limits.ts";
import { fieldTerm, labelTerm, ownerTerm } from "../../kernel/terms.ts";
import { isCounted, readLimits } from "../arguments.ts";
import type { Change, ListQuery, Page, StoredRecord } from "../port.ts";
import { plainPage } from "./plain-list.ts";
import { keyRange } from "./range.ts";
import type { Part } from "./range.ts";
import type { Reader } from "./reader.ts";
import { matcherOf } from "./selection.ts";
import { smallDocument, smallSealed } from "./sql.ts";

/** Rows that one page may look at in vain, and the bytes of their terms, which are parsed. */
const maxLooks = 10_000;
const maxTermBytes = 1_048_576;
/** Terms that are merged to drive a list; with more of them the kind is walked instead. */
const maxDrivingTerms = 16;
const probeRows = 512;
/** Rows are read in chunks, which is twice as fast as one by one: the first and the largest. */
const firstChunk = 32;
const largestChunk = 1_024;
const chunkBytes = 2 * 1_048_576;

/**
 * The document is left out of rows that are only looked at, and of rows with a large one; it is
 * fetched for those that match.
 */
type ListRow = readonly [
  ...[namespace: string, name: string, revision: number, uid: string, terms: string],
  ...[document?: string | null, sealed?: Uint8Array | null],
];

export function list(reader: Reader, query: ListQuery): Page {
  return reader.snapshot(() => {
    const wanted = query.from?.revision ?? query.at;
    const head = reader.checkReadable(wanted ?? reader.head().revision);
    const revision = wanted ?? head.revision;
    const isCurrent = revision === head.revision;
    const page =
      isCurrent && matcherOf(query) === undefined
        ? plainPage(reader, { ...query, limit: pageLimit(query) }, revision)
        : selectedPage(reader, query, revision, isCurrent);
    if (page.next === undefined || !isCounted(query)) return page;
    const behind = countBehind(reader, query, head.revision - revision);
    const remaining = behind === undefined ? undefined : behind - page.records.length;
    if (remaining === undefined || remaining > readLimits.countedItems) return page;
    return { ...page, remaining };
  });
}

/**
 * How many there were where the page began. Every creation since the snapshot has added one, and
 * every deletion taken one away, so it follows from how many there are now.
 */
function countBehind(reader: Reader, query: ListQuery, age: number): number | undefined {
  if (age > readLimits.countedChanges) return undefined;
  const most = readLimits.countedItems + pageLimit(query) + 1;
  const now = countOf(reader, countedKind(query), most);
  if (now === most || age === 0) return now === most ? undefined : now;
  const at = query.from?.revision ?? query.at ?? 0;
  const [created, deleted] = [
    countedChanges(query, at, "created"),
    countedChanges(query, at, "deleted"),
  ];
  return now - countOf(reader, created, most) + countOf(reader, deleted, most);
}

function countOf(reader: Reader, { sql, values }: Part, most: number): number {
  return reader.statement<[number]>(sql).get(...values, most)?.[0] ?? 0;
}

export function countedKind(query: ListQuery): Part {
  const { sql, values } = keyRange("r", query);
  return {
    sql: `SELECT count(*) FROM (SELECT 1 FROM resource r WHERE r.kind = ?${sql} LIMIT ?)`,
    values: [query.kind, ...values],
  };
}

export function countedChanges(query: ListQuery, at: number, type: Change["type"]): Part {
  const { sql, values } = keyRange("e", query);
  return {
    sql: `SELECT count(*) FROM (SELECT 1 FROM change e WHERE e.kind = ? AND e.revision > ?
      AND e.type = ?${sql} LIMIT ?)`,
    values: [query.kind, at, type, ...values],
  };
}

function selectedPage(
  reader: Reader,
  query: ListQuery,
  revision: number,
  isCurrent: boolean,
): Page {
  const parts = isCurrent ? currentRows(reader, query) : singly(pastRows(reader, query, revision));
  return pageOf(reader, query, revision, parts);
}

/** Whether a list has to look through so much of the log that it belongs into the background. */
export function isLongList(query: ListQuery, head: number): boolean {
  const wanted = query.from?.revision ?? query.at ?? head;
  return head - wanted > 10_000;
}

function pageOf(
  reader: Reader,
  query: ListQuery,
  revision: number,
  parts: Iterable<readonly ListRow[]>,
): Page {
  const limit = pageLimit(query);
  const isMatch = matcherOf(query);
  const records: StoredRecord[] = [];
  let last: ListRow | undefined;
  let bytes = 0;
  let looks = 0;
  let termBytes = 0;
  for (const part of parts) {
    for (const row of part) {
      looks += 1;
      termBytes += row[4].length;
      const isLong = looks > limit + maxLooks || termBytes > maxTermBytes;
      if (isLong && last !== undefined) return cut(revision, records, last);
      if (isMatch === undefined || isMatch(row[4])) {
        if (records.length >= limit) return cut(revision, records, last);
        const isFirst = records.length === 0;
        const room = isFirst ? Number.MAX_SAFE_INTEGER : limits.maxPageBytes - bytes;
        const record = recordOf(reader, query.kind, row, room);
        bytes += record?.body.length ?? 0;
        const isOver = bytes > limits.maxPageBytes && !isFirst;
        if (record === undefined || isOver) return cut(revision, records, last);
        records.push(record);
      }
      last = row;
    }
  }
  return { revision, records };
}

/** A page that ends before the rows do. */
function cut(revision: number, records: readonly StoredRecord[], last: ListRow | undefined): Page {
  if (last === undefined) return { revision, records };
  return { revision, records, next: { revision, namespace: last[0], name: last[1] } };
}

function* singly(rows: Iterable<ListRow>): Iterable<readonly ListRow[]> {
  for (const row of rows) yield [row];
}

function pageLimit({ limit = limits.defaultPageItems }: ListQuery): number {
  return Math.min(limit, limits.maxPageItems);
}

/** Undefined: the document is larger than the room that is left. */
function recordOf(
  reader: Reader,
  kind: string,
  row: ListRow,
  room: number,
): StoredRecord | undefined {
  const [namespace, name, revision, uid, , document, sealed = null] = row;
  const key = { kind, namespace, name };
  if (typeof document === "string") return reader.shown(key, uid, revision, document, sealed);
  return reader.recordWithin(key, uid, revision, room);
}

const keyColumns = "r.namespace, r.name, r.revision, r.uid, r.terms";
const columns = `${keyColumns}, ${smallDocument}, ${smallSealed}`;

function currentRows(reader: Reader, query: ListQuery): Iterable<readonly ListRow[]> {
  const terms = drivingTerms(reader, query);
  if (terms === undefined) {
    return chunks(reader, query, lookThroughKind);
  }
  const [term] = terms;
  if (terms.length > 1 || term === undefined) {
    return singly(mergedRows(reader, query, terms));
  }
  return chunks(reader, query, (from) => walkTerm(from, term));
}

/** The rows of a query in order, each chunk beginning after the last key of the one before. */
function* chunks(
  reader: Reader,
  query: ListQuery,
  partOf: (query: ListQuery) => Part,
): Generator<readonly ListRow[], void> {
  let size = Math.min(firstChunk, pageLimit(query) + 1);
  let from = query.from;
  for (;;) {
    const part = partOf(from === undefined ? query : { ...query, from });
    const rows = reader.statement<ListRow>(`${part.sql} LIMIT ?`).all(...part.values, size);
    yield rows;
    const last = rows.at(-1);
    if (last === undefined || rows.length < size) return;
    from = { revision: 0, namespace: last[0], name: last[1] };
    const bytes = rows.reduce((sum, row) => sum + row[4].length + (row[5]?.length ?? 0), 0);
    const fitting = Math.ceil((chunkBytes * rows.length) / Math.max(1, bytes));
    size = Math.min(size * 8, largestChunk, fitting);
  }
}

/** Several terms, each in order, merged by key; then the row of each key. */
function* mergedRows(
  reader: Reader,
  query: ListQuery,
  terms: readonly string[],
): Iterable<ListRow> {
  if (terms.length === 0) return;
  const part = walkTerms(query, terms);
  const row = reader.statement<ListRow>(
    `SELECT ${keyColumns} FROM resource r WHERE r.kind = ? AND r.namespace = ? AND r.name = ?`,
  );
  const keys = reader.statement<[string, string]>(part.sql).iterate(...part.values);
  for (const [namespace, name] of keys) {
    const found = row.get(query.kind, namespace, name);
    if (found !== undefined) yield found;
  }
}

/** Rows without documents: not all of them will match, or be of the snapshot. */
export function lookThroughKind(query: ListQuery): Part {
  const { sql, values } = keyRange("r", query);
  return {
    sql: `SELECT ${keyColumns} FROM resource r WHERE r.kind = ?${sql}
      ORDER BY r.namespace, r.name`,
    values: [query.kind, ...values],
  };
}

export function walkTerm(query: ListQuery, term: string): Part {
  const { sql, values } = keyRange("t", query);
  return {
    sql: `SELECT ${columns} FROM term t
      CROSS JOIN resource r ON r.kind = t.kind AND r.namespace = t.namespace AND r.name = t.name
      CROSS JOIN change c ON c.revision = r.revision
      WHERE t.kind = ? AND t.term = ?${sql} ORDER BY t.namespace, t.name`,
    values: [query.kind, term, ...values],
  };
}

export function walkTerms(query: ListQuery, terms: readonly string[]): Part {
  const { sql, values } = keyRange("t", query);
  const branch = `SELECT t.namespace, t.name FROM term t WHERE t.kind = ? AND t.term = ?${sql}`;
  return {
    sql: `${terms.map(() => branch).join(" UNION ")} ORDER BY 1, 2`,
    values: terms.flatMap((term) => [query.kind, term, ...values]),
  };
}

/** The terms of the positive requirement that matches fewest; undefined: none can drive. */
function drivingTerms(reader: Reader, query: ListQuery): readonly string[] | undefined {
  const candidates = positiveTerms(reader, query).filter(({ length }) => length <= maxDrivingTerms);
  if (candidates.length <= 1) return candidates[0];
  let best: readonly string[] | undefined;
  let fewest = Number.POSITIVE_INFINITY;
  for (const terms of candidates) {
    const count = terms.reduce((sum, term) => sum + probe(reader, query.kind, term), 0);
    if (count < fewest) [best, fewest] = [terms, count];
  }
  return best;
}

function positiveTerms(reader: Reader, query: ListQuery): readonly (readonly string[])[] {
  const { labels = [], fields = [], owner } = query;
  const found: (readonly string[])[] = owner === undefined ? [] : [[ownerTerm(owner)]];
  for (const { path, operator, values } of fields) {
    if (operator === "in") found.push(values.map((value) => fieldTerm(path, value)));
  }
  for (const { key, operator, values } of labels) {
    if (operator === "in") found.push(values.map((value) => labelTerm(key, value)));
    if (operator === "exists") found.push(termsOfLabel(reader, query.kind, key));
  }
  return found.map((terms) => Array.from(new Set(terms)));
}

/** The values a label has, by hops through the index; one more than may drive when there are. */
function termsOfLabel(reader: Reader, kind: string, key: string): readonly string[] {
  const prefix = labelTerm(key, "");
  const hop = reader.statement<[string]>(
    "SELECT term FROM term WHERE kind = ? AND term > ? ORDER BY term LIMIT 1",
  );
  const first = reader.statement<[string]>(
    "SELECT term FROM term WHERE kind = ? AND term >= ? ORDER BY term LIMIT 1",
  );
  const found: string[] = [];
  let next = first.get(kind, prefix)?.[0];
  while (next?.startsWith(prefix) === true && found.length <= maxDrivingTerms) {
    found.push(next);
    next = hop.get(kind, next)?.[0];
  }
  return found;
}

function probe(reader: Reader, kind: string, term: string): number {
  const count = reader.statement<[number]>(
    "SELECT count(*) FROM (SELECT 1 FROM term WHERE kind = ? AND term = ? LIMIT ?)",
  );
  return count.get(kind, term, probeRows)?.[0] ?? 0;
}

/** What was replaced since `at` and was current then, in order. */
export function walkReplaced(query: ListQuery, at: number): Part {
  const { sql, values } = keyRange("e", query);
  return {
    sql: `SELECT e.namespace, e.name, e.previous FROM change e INDEXED BY change_replaced
      WHERE e.kind = ? AND e.revision > ? AND e.previous <= ?${sql}
      ORDER BY e.namespace, e.name LIMIT ?`,
    values: [query.kind, at, at, ...values, maxLooks + pageLimit(query) + 1],
  };
}

function* replacedRows(reader: Reader, query: ListQuery, at: number): Generator<ListRow, void> {
  const part = walkReplaced(query, at);
  const row = reader.statement<ListRow>(
    "SELECT namespace, name, revision, uid, terms FROM change WHERE revision = ?",
  );
  for (const [, , revision] of reader
    .statement<[string, string, number]>(part.sql)
    .all(...part.values)) {
    const was = row.get(revision);
    if (was !== undefined) yield was;
  }
}

/** What has not been touched since `at`, merged with what has been replaced since. */
function* pastRows(reader: Reader, query: ListQuery, at: number): Iterable<ListRow> {
  const replaced = replacedRows(reader, query, at);
  let next = replaced.next();
  for (const row of chunks(reader, query, lookThroughKind).flatMap((part) => part)) {
    if (row[2] > at) continue;
    while (next.done !== true && comparePlaces(next.value, row) < 0) {
      yield next.value;
      next = replaced.next();
    }
    yield row;
  }
  while (next.done !== true) {
    yield next.value;
    next = replaced.next();
  }
}

function comparePlaces(a: ListRow, b: ListRow): number {
  if (a[0] !== b[0]) return Buffer.compare(Buffer.from(a[0]), Buffer.from(b[0]));
  return Buffer.compare(Buffer.from(a[1]), Buffer.from(b[1]));
}

/**
 * Lists. On the newest snapshot a selector is answered from the inverted index: the requirement that
 * matches fewest drives, in the order of the page, and the others are checked on the terms of each
 * row. A snapshot of the past is the rows not touched since, merged with what the first change since
 * has replaced.
 *
 * A page looks at a bounded number of rows and bytes: with a selector that matches little it may be
 * short or empty and still have a `next`.
 */
import { limits } from "../../kernel/limits.ts";
import { fieldTerm, labelTerm, ownerTerm } from "../../kernel/terms.ts";
import type { ListQuery, Page, Position, StoredRecord } from "../port.ts";
import type { Reader } from "./reader.ts";
import { matcherOf } from "./selection.ts";
import type { Value } from "./sql.ts";

/** Rows that one page may look at in vain. */
const maxLooks = 20_000;
/** Terms that are merged to drive a list; with more of them the kind is walked instead. */
const maxDrivingTerms = 16;
const probeRows = 512;

type ListRow = [
  ...[namespace: string, name: string, revision: number, uid: string, terms: string],
  ...[document: Uint8Array, sealed: Uint8Array | null],
];

interface Part {
  readonly sql: string;
  readonly values: readonly Value[];
}

export function list(reader: Reader, query: ListQuery): Page {
  return reader.snapshot(() => {
    const wanted = query.from?.revision ?? query.at;
    const head = reader.checkReadable(wanted ?? reader.head().revision);
    const revision = wanted ?? head.revision;
    const isCurrent = revision === head.revision;
    const rows = isCurrent ? currentRows(reader, query) : pastRows(reader, query, revision);
    return pageOf(reader, query, revision, rows);
  });
}

/** Whether a list has to look through so much of the log that it belongs into the background. */
export function isLongList(query: ListQuery, head: number): boolean {
  const wanted = query.from?.revision ?? query.at ?? head;
  return head - wanted > 10_000;
}

function pageOf(reader: Reader, query: ListQuery, revision: number, rows: Iterable<ListRow>): Page {
  const limit = Math.min(query.limit ?? limits.defaultPageItems, limits.maxPageItems);
  const isMatch = matcherOf(query);
  const records: StoredRecord[] = [];
  let next: Position | undefined;
  let last: Position | undefined;
  let bytes = 0;
  let looks = 0;
  for (const [namespace, name, written, uid, terms, document, sealed] of rows) {
    bytes += document.length;
    looks += 1;
    if (looks > maxLooks + limit || (bytes > limits.maxPageBytes && records.length > 0)) {
      next = last;
      break;
    }
    if (isMatch === undefined || isMatch(terms)) {
      if (records.length >= limit) {
        next = last;
        break;
      }
      const key = { kind: query.kind, namespace, name };
      records.push(reader.record(key, uid, written, document, sealed));
    } else {
      bytes -= document.length;
    }
    last = { revision, namespace, name };
  }
  return next === undefined ? { revision, records } : { revision, records, next };
}

const columns = "r.namespace, r.name, r.revision, r.uid, r.terms, CAST(c.document AS BLOB), c.sealed";

function currentRows(reader: Reader, query: ListQuery): Iterable<ListRow> {
  const terms = drivingTerms(reader, query);
  if (terms !== undefined && terms.length > 1) return mergedRows(reader, query, terms);
  const part = terms?.[0] === undefined ? walkKind(query) : walkTerm(query, terms[0]);
  return reader.statement<ListRow>(part.sql).iterate(...part.values);
}

/** Several terms, each in order, merged by key; then the row of each key. */
function* mergedRows(
  reader: Reader,
  query: ListQuery,
  terms: readonly string[],
): Iterable<ListRow> {
  const part = walkTerms(query, terms);
  const row = reader.statement<ListRow>(
    `SELECT ${columns} FROM resource r CROSS JOIN change c ON c.revision = r.revision
     WHERE r.kind = ? AND r.namespace = ? AND r.name = ?`,
  );
  const keys = reader.statement<[string, string]>(part.sql).iterate(...part.values);
  for (const [namespace, name] of keys) {
    const found = row.get(query.kind, namespace, name);
    if (found !== undefined) yield found;
  }
}

export function walkKind(query: ListQuery, at?: number): Part {
  const { sql, values } = range("r", query);
  const old = at === undefined ? "" : " AND r.revision <= ?";
  return {
    sql: `SELECT ${columns} FROM resource r CROSS JOIN change c ON c.revision = r.revision
      WHERE r.kind = ?${sql}${old} ORDER BY r.namespace, r.name`,
    values: [query.kind, ...values, ...(at === undefined ? [] : [at])],
  };
}

export function walkTerm(query: ListQuery, term: string): Part {
  const { sql, values } = range("t", query);
  return {
    sql: `SELECT ${columns} FROM term t
      CROSS JOIN resource r ON r.kind = t.kind AND r.namespace = t.namespace AND r.name = t.name
      CROSS JOIN change c ON c.revision = r.revision
      WHERE t.kind = ? AND t.term = ?${sql} ORDER BY t.namespace, t.name`,
    values: [query.kind, term, ...values],
  };
}

export function walkTerms(query: ListQuery, terms: readonly string[]): Part {
  const { sql, values } = range("t", query);
  const branch = `SELECT t.namespace, t.name FROM term t WHERE t.kind = ? AND t.term = ?${sql}`;
  return {
    sql: `${terms.map(() => branch).join(" UNION ")} ORDER BY 1, 2`,
    values: terms.flatMap((term) => [query.kind, term, ...values]),
  };
}

/** The rows of a page's range: after where the last one ended, in one namespace or all. */
function range(table: string, { namespace, from }: ListQuery): Part {
  const sql: string[] = [];
  const values: Value[] = [];
  if (namespace !== undefined) {
    sql.push(` AND ${table}.namespace = ?`);
    values.push(namespace);
  }
  if (from !== undefined && namespace === from.namespace) {
    sql.push(` AND ${table}.name > ?`);
    values.push(from.name);
  } else if (from !== undefined) {
    sql.push(` AND (${table}.namespace, ${table}.name) > (?, ?)`);
    values.push(from.namespace, from.name);
  }
  return { sql: sql.join(""), values };
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
  return found.map((terms) => [...new Set(terms)]);
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
  const { sql, values } = range("e", query);
  return {
    sql: `SELECT e.namespace, e.name, e.previous FROM change e INDEXED BY change_replaced
      WHERE e.kind = ? AND e.revision > ? AND e.previous <= ?${sql}
      ORDER BY e.namespace, e.name LIMIT ?`,
    values: [query.kind, at, at, ...values, maxLooks + limits.maxPageItems],
  };
}

function* replacedRows(reader: Reader, query: ListQuery, at: number): Generator<ListRow, void> {
  const part = walkReplaced(query, at);
  const row = reader.statement<ListRow>(
    `SELECT c.namespace, c.name, c.revision, c.uid, c.terms, CAST(c.document AS BLOB), c.sealed
     FROM change c WHERE c.revision = ?`,
  );
  const found = reader.statement<[string, string, number]>(part.sql).iterate(...part.values);
  for (const [, , revision] of found) {
    const was = row.get(revision);
    if (was !== undefined) yield was;
  }
}

function* pastRows(reader: Reader, query: ListQuery, at: number): Iterable<ListRow> {
  const part = walkKind(query, at);
  const untouched = reader.statement<ListRow>(part.sql).iterate(...part.values);
  const replaced = replacedRows(reader, query, at);
  try {
    let left = untouched.next();
    let right = replaced.next();
    while (left.done !== true || right.done !== true) {
      const isLeft =
        right.done === true || (left.done !== true && comparePlaces(left.value, right.value) < 0);
      if (isLeft) {
        yield left.value as ListRow;
        left = untouched.next();
      } else {
        yield right.value;
        right = replaced.next();
      }
    }
  } finally {
    // A page that ends early would otherwise leave its statements, and so its snapshot, open.
    untouched.return?.();
    replaced.return();
  }
}

function comparePlaces(a: ListRow, b: ListRow): number {
  if (a[0] !== b[0]) return Buffer.compare(Buffer.from(a[0]), Buffer.from(b[0]));
  return Buffer.compare(Buffer.from(a[1]), Buffer.from(b[1]));
}

/**
 * The SQL of a list. Its rows come from two parts that are merged in (namespace, name) order:
 *
 *  - what is current now, through the primary key, or through the term index when a requirement
 *    names the values it wants; on an older snapshot only rows not touched since;
 *  - on an older snapshot, for each row touched since, the change that was current then: the first
 *    change after the snapshot names it (`previous`).
 *
 * Other requirements are answered from the terms of each row, and a page looks at a bounded number
 * of rows in vain: it may be short or empty and still have a next one.
 */
import type { Requirement } from "../../kernel/selector.ts";
import { fieldTerm, labelTerm, ownerTerm } from "../../kernel/terms.ts";
import { limits } from "../../kernel/limits.ts";
import { isCounted, readLimits } from "../arguments.ts";
import type { ListQuery } from "../port.ts";
import { textArray } from "./binary-array.ts";
import { sizeOf } from "./rows.ts";

export interface ListStatement {
  readonly text: string;
  readonly values: readonly unknown[];
}

/** One requirement on terms: any of these, or any in this range, or (not wanted) none of them. */
interface TermTest {
  readonly isWanted: boolean;
  readonly anyOf?: readonly string[];
  readonly range?: readonly [string, string];
}

/** A requirement with more values than this does not drive the list. */
const maxDriverTerms = 8;
/** Rows that each part of one page may look at in vain. */
const maxLooks = 10_000;

/**
 * The snapshot, or undefined for the newest. `fetch` is one more than the page holds. The first row
 * is the head: two columns and, as its revision, how many records there are if that was asked for.
 * Columns of the others, after two that are empty: namespace, name, revision, uid, document,
 * sealed, and whether the rows end here because enough were looked at. A row without a revision
 * does not match; one with a revision but without a document no longer fits the page.
 */
export function listStatement(
  query: ListQuery,
  at: number | undefined,
  fetch: number,
): ListStatement {
  const tests = testsOf(query);
  const { shared, values } = sharedOf(query, at, fetch);
  const bytes = shared.place(limits.maxPageBytes);
  // The head comes first, also when nothing else does. The parts are in order and a nested loop
  // keeps it, so nothing is sorted here. Bytes are summed on narrow rows: a window over documents
  // would copy every one of them.
  const namespace = query.namespace === undefined ? "p.namespace" : "NULL";
  const text = `SELECT h.revision, h.compacted, NULL::text, NULL::text, ${counted(shared)},
      NULL::text, NULL::varchar, NULL::bytea, false FROM head h WHERE h.one
    UNION ALL
    SELECT NULL, NULL, ${namespace}, p.name, p.revision, p.uid, c.document::varchar, c.sealed,
      p.is_last
    FROM (SELECT k.*, sum(k.size) OVER (ROWS UNBOUNDED PRECEDING) AS total
      FROM (${merged(partsOf(shared, tests), shared)}) k) p
    LEFT JOIN change c ON c.revision = p.revision AND (p.total <= ${bytes} OR p.total = p.size)`;
  return { text, values };
}

export function sharedOf(
  query: ListQuery,
  at: number | undefined,
  fetch: number,
): { readonly shared: Shared; readonly values: readonly unknown[] } {
  const values: unknown[] = [];
  const place = (value: unknown): string => `$${values.push(value)}`;
  const shared = {
    kind: `${place(query.kind)}::text`,
    limit: `${place(fetch)}::int`,
    at: at === undefined ? undefined : `${place(at)}::bigint`,
    query,
    place,
  };
  return { shared, values };
}

/**
 * How many there were where the page begins. Every creation since the snapshot has added one, and
 * every deletion taken one away, so it follows from how many there are now, which an index knows.
 */
export function counted(shared: Shared): string {
  const { query, kind, limit, at } = shared;
  if (!isCounted(query)) return "NULL::bigint";
  const most = `${limit} + ${readLimits.countedItems}`;
  const now = `(SELECT count(*) FROM (SELECT 1 FROM resource n WHERE n.kind = ${kind}
    ${bounds(shared, "n")} LIMIT ${most}) n)`;
  if (at === undefined) return `(SELECT nullif(${now}, ${most}))`;
  return `(SELECT CASE WHEN h.revision - ${at} <= ${readLimits.countedChanges}
    THEN nullif(${now}, ${most}) + (
      SELECT coalesce(sum(CASE d.type WHEN 1 THEN -1 WHEN 3 THEN 1 ELSE 0 END), 0) FROM change d
      WHERE d.revision > ${at} AND d.kind = ${kind}${bounds(shared, "d")}) END)`;
}

/** What the parts of a statement have in common. */
interface Shared {
  readonly kind: string;
  readonly limit: string;
  readonly at: string | undefined;
  readonly query: ListQuery;
  readonly place: (value: unknown) => string;
}

function partsOf(shared: Shared, tests: readonly TermTest[]): readonly string[] {
  // One of no values: nothing matches.
  if (tests.some(({ isWanted, anyOf }) => isWanted && anyOf?.length === 0)) {
    return [
      `SELECT ''::text AS namespace, ''::text AS name, 0::bigint AS revision, 0 AS size,
        ''::text AS uid, false AS is_last FROM head
        WHERE ${shared.kind} IS NULL AND ${shared.limit} IS NULL
        ${shared.at === undefined ? "" : ` AND ${shared.at} IS NULL`}`,
    ];
  }
  const driver = tests.find(({ isWanted, anyOf }) => {
    return isWanted && anyOf !== undefined && anyOf.length <= maxDriverTerms;
  });
  const others = tests.filter((test) => test !== driver);
  const parts = currentParts(shared, driver, others);
  if (shared.at !== undefined) parts.push(replacedPart(shared, shared.at, tests));
  return parts;
}

function merged(parts: readonly string[], { limit }: Shared): string {
  if (parts.length === 1) return parts.join("");
  const union = parts.map((part) => `(${part})`).join(" UNION ALL ");
  return `SELECT * FROM (${union}) u ORDER BY u.namespace, u.name LIMIT ${limit}`;
}

function currentParts(
  shared: Shared,
  driver: TermTest | undefined,
  others: readonly TermTest[],
): string[] {
  const { kind, at, place } = shared;
  const match = [
    ...(at === undefined ? [] : [`r.revision <= ${at}`]),
    ...others.map((test) => termTest("r", test, shared)),
  ];
  const from = (source: string, columns: string, alias: string): string =>
    lookedAt(shared, match, {
      columns: `${columns}, r.revision, r.size, r.uid`,
      source,
      order: `${alias}.namespace, ${alias}.name`,
    });
  if (driver?.anyOf === undefined) {
    const source = `resource r WHERE r.kind = ${kind}${bounds(shared, "r")}`;
    return [from(source, "r.namespace, r.name", "r")];
  }
  // A resource has one value per label or field, so the parts of one requirement do not overlap.
  return driver.anyOf.map((term) => {
    const source = `term t LEFT JOIN LATERAL (SELECT q.revision, q.size, q.uid, q.terms
        FROM resource q
        WHERE q.kind = t.kind AND q.namespace = t.namespace AND q.name = t.name OFFSET 0) r ON true
      WHERE t.kind = ${kind} AND t.term = ${place(term)}${bounds(shared, "t")}`;
    return from(source, "t.namespace, t.name", "t");
  });
}

function replacedPart(shared: Shared, at: string, tests: readonly TermTest[]): string {
  const match = tests.map((test) => termTest("b", test, shared));
  return lookedAt(shared, match, {
    columns: "e.namespace, e.name, b.revision, b.size, b.uid",
    source: `change e LEFT JOIN LATERAL (SELECT q.revision, ${sizeOf("q")} AS size, q.uid, q.terms
        FROM change q WHERE q.revision = e.previous OFFSET 0) b ON true
      WHERE e.revision > ${at} AND e.previous <= ${at} AND e.kind = ${shared.kind}
      ${bounds(shared, "e")}`,
    order: "e.namespace, e.name",
  });
}

/**
 * The rows of a source that match, in order. When not all need to, at most so many are looked at,
 * and the last of them is given too, whether it matches or not: the page ends there.
 */
function lookedAt(
  { limit }: Shared,
  match: readonly string[],
  { columns, source, order }: Readonly<Record<"columns" | "source" | "order", string>>,
): string {
  if (match.length === 0) {
    return `SELECT ${columns}, false AS is_last FROM ${source} ORDER BY ${order} LIMIT ${limit}`;
  }
  const looks = `(${limit} + ${maxLooks})`;
  return `SELECT w.namespace, w.name, CASE WHEN w.is_match THEN w.revision END AS revision,
      CASE WHEN w.is_match THEN w.size END AS size, w.uid, w.look = ${looks} AS is_last
    FROM (SELECT x.*, row_number() OVER (ORDER BY x.namespace, x.name) AS look
      FROM (SELECT ${columns}, ${match.join(" AND ")} AS is_match FROM ${source}
        ORDER BY ${order} LIMIT ${looks}) x) w
    WHERE w.is_match OR w.look = ${looks} LIMIT ${limit}`;
}

export function bounds({ query, place }: Shared, alias: string): string {
  const { namespace, from } = query;
  const inside = namespace === undefined ? "" : ` AND ${alias}.namespace = ${place(namespace)}`;
  if (from === undefined) return inside;
  // Inside of one namespace the name alone tells the index where to go on.
  if (namespace === from.namespace) return `${inside} AND ${alias}.name > ${place(from.name)}`;
  const after = `(${place(from.namespace)}, ${place(from.name)})`;
  return `${inside} AND (${alias}.namespace, ${alias}.name) > ${after}`;
}

function termTest(alias: string, { isWanted, anyOf, range }: TermTest, { place }: Shared): string {
  const not = isWanted ? "" : "NOT ";
  if (range === undefined) {
    return `${not}${alias}.terms && ${place(textArray(anyOf ?? []))}::text[]`;
  }
  return `${not}EXISTS (SELECT 1 FROM unnest(${alias}.terms) x
    WHERE x COLLATE "C" >= ${place(range[0])} AND x COLLATE "C" < ${place(range[1])})`;
}

/** What names few resources comes first, since the first fitting test drives the list. */
function testsOf({ owner, fields = [], labels = [] }: ListQuery): readonly TermTest[] {
  const tests: TermTest[] = [];
  if (owner !== undefined) tests.push({ isWanted: true, anyOf: [ownerTerm(owner)] });
  for (const { path, operator, values } of fields) {
    const anyOf = [...new Set(values)].map((value) => fieldTerm(path, value));
    tests.push({ isWanted: operator === "in", anyOf });
  }
  for (const requirement of labels) tests.push(labelTest(requirement));
  return tests.sort((a, b) => weight(a) - weight(b));
}

function weight({ isWanted, anyOf }: TermTest): number {
  return isWanted && anyOf !== undefined ? anyOf.length : Number.MAX_SAFE_INTEGER;
}

function labelTest({ key, operator, values }: Requirement): TermTest {
  const isWanted = operator === "in" || operator === "exists";
  if (operator === "in" || operator === "notin") {
    return { isWanted, anyOf: [...new Set(values)].map((value) => labelTerm(key, value)) };
  }
  const prefix = labelTerm(key, "");
  // "=" is followed by ">": every term of the key lies between.
  return { isWanted, range: [prefix, `${prefix.slice(0, -1)}>`] };
}

/**
 * The SQL of a list. Its rows come from two parts that are merged in (namespace, name) order:
 *
 *  - what is current now, through the primary key, or through the term index when a requirement
 *    names the values it wants; on an older snapshot only rows not touched since;
 *  - on an older snapshot, for each row touched since, the change that was current then: the first
 *    change after the snapshot names it (`previous`).
 *
 * Other requirements are answered per row from the term index (now) or the change's terms (then).
 */
import type { Requirement } from "../../kernel/selector.ts";
import { fieldTerm, labelTerm, ownerTerm } from "../../kernel/terms.ts";
import { limits } from "../../kernel/limits.ts";
import type { ListQuery } from "../port.ts";
import { textArray } from "./binary-array.ts";

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

/** The snapshot, or undefined for the newest. `fetch` is one more than the page holds. */
export function listStatement(
  query: ListQuery,
  at: number | undefined,
  fetch: number,
): ListStatement {
  const values: unknown[] = [];
  const place = (value: unknown): string => `$${values.push(value)}`;
  const tests = testsOf(query);
  const driver = tests.find(({ isWanted, anyOf }) => {
    return isWanted && anyOf !== undefined && anyOf.length <= maxDriverTerms;
  });
  const shared: Shared = {
    kind: `${place(query.kind)}::text`,
    limit: `${place(fetch)}::int`,
    at: at === undefined ? undefined : `${place(at)}::bigint`,
    query,
    place,
  };
  const others = tests.filter((test) => test !== driver);
  const parts = currentParts(shared, driver, others);
  if (shared.at !== undefined) parts.push(replacedPart(shared, shared.at, tests));
  const bytes = place(limits.maxPageBytes);
  // The head comes first, also when nothing else does. The parts are in order and a nested loop
  // keeps it, so nothing is sorted here: that would copy every document once more.
  const text = `SELECT h.revision, h.compacted, NULL::text, NULL::text, NULL::bigint, NULL::text,
      NULL::text, NULL::bytea FROM head h WHERE h.one
    UNION ALL
    SELECT NULL, NULL, p.namespace, p.name, p.at, p.uid,
      CASE WHEN p.total - p.size < ${bytes} THEN p.document END, p.sealed
    FROM (SELECT k.namespace, k.name, k.revision AS at, k.uid, c.document, c.sealed,
        octet_length(c.document) AS size,
        sum(octet_length(c.document)) OVER (ROWS UNBOUNDED PRECEDING) AS total
      FROM (${merged(parts, shared)}) k LEFT JOIN change c ON c.revision = k.revision) p`;
  return { text, values };
}

interface Shared {
  readonly kind: string;
  readonly limit: string;
  readonly at: string | undefined;
  readonly query: ListQuery;
  readonly place: (value: unknown) => string;
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
  const { kind, limit, at, place } = shared;
  const rest = others.map((test) => ` AND ${currentTest(test, shared)}`).join("");
  const untouched = at === undefined ? "" : ` AND r.revision <= ${at}`;
  const columns = "r.namespace, r.name, r.revision, r.uid";
  if (driver?.anyOf === undefined) {
    return [
      `SELECT ${columns} FROM resource r WHERE r.kind = ${kind}${bounds(shared, "r")}${untouched}
        ${rest} ORDER BY r.namespace, r.name LIMIT ${limit}`,
    ];
  }
  // A resource has one value per label or field, so the parts of one requirement do not overlap.
  return driver.anyOf.map(
    (term) => `SELECT t.namespace, t.name, r.revision, r.uid FROM term t
      LEFT JOIN resource r ON r.kind = t.kind AND r.namespace = t.namespace AND r.name = t.name
      WHERE t.kind = ${kind} AND t.term = ${place(term)}${bounds(shared, "t")}${untouched}
      ${rest} ORDER BY t.namespace, t.name LIMIT ${limit}`,
  );
}

function replacedPart(shared: Shared, at: string, tests: readonly TermTest[]): string {
  const rest = tests.map((test) => ` AND ${changeTest(test, shared)}`).join("");
  return `SELECT e.namespace, e.name, b.revision, b.uid FROM change e
    LEFT JOIN change b ON b.revision = e.previous
    WHERE e.revision > ${at} AND e.previous <= ${at} AND e.kind = ${shared.kind}
    ${bounds(shared, "e")}${rest} ORDER BY e.namespace, e.name LIMIT ${shared.limit}`;
}

function bounds({ query, place }: Shared, alias: string): string {
  const { namespace, from } = query;
  const inside = namespace === undefined ? "" : ` AND ${alias}.namespace = ${place(namespace)}`;
  if (from === undefined) return inside;
  const after = `(${place(from.namespace)}, ${place(from.name)})`;
  return `${inside} AND (${alias}.namespace, ${alias}.name) > ${after}`;
}

function currentTest({ isWanted, anyOf, range }: TermTest, { place }: Shared): string {
  const term =
    range === undefined
      ? `x.term = ANY (${place(textArray(anyOf ?? []))}::text[])`
      : `x.term >= ${place(range[0])} AND x.term < ${place(range[1])}`;
  return `${isWanted ? "" : "NOT "}EXISTS (SELECT 1 FROM term x WHERE x.kind = r.kind
    AND x.namespace = r.namespace AND x.name = r.name AND ${term} OFFSET 0)`;
}

function changeTest({ isWanted, anyOf, range }: TermTest, { place }: Shared): string {
  const not = isWanted ? "" : "NOT ";
  if (range === undefined) return `${not}b.terms && ${place(textArray(anyOf ?? []))}::text[]`;
  return `${not}EXISTS (SELECT 1 FROM unnest(b.terms) x
    WHERE x COLLATE "C" >= ${place(range[0])} AND x COLLATE "C" < ${place(range[1])})`;
}

/** What names few resources comes first, since the first fitting test drives the list. */
function testsOf({ owner, fields = [], labels = [] }: ListQuery): readonly TermTest[] {
  const tests: TermTest[] = [];
  if (owner !== undefined) tests.push({ isWanted: true, anyOf: [ownerTerm(owner)] });
  for (const { path, operator, values } of fields) {
    const anyOf = values.map((value) => fieldTerm(path, value));
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

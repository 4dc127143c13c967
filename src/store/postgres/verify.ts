/**
 * Checks the invariants that the other statements rely on. Each check is a query for violations;
 * all look at one snapshot, so a store in use is judged as fairly as a resting one.
 */
import type { Pool } from "./pool.ts";
import { sizeOf } from "./rows.ts";
import { withScan } from "./scan.ts";
import type { Scan } from "./scan.ts";

const checks: readonly string[] = [
  // The log
  `SELECT 'revisions above the mark are missing: ' || (h.revision - h.compacted - n)
    FROM head h, (SELECT count(*) AS n FROM change, head WHERE change.revision > head.compacted) c
    WHERE h.revision - h.compacted <> n`,
  `SELECT 'change ' || c.revision || ' is above the head' FROM change c, head h
    WHERE c.revision > h.revision`,
  `SELECT 'the mark is above the head' FROM head WHERE compacted > revision`,
  `SELECT 'change ' || c.revision || ' replaces ' || c.previous || ', which does not exist'
    FROM change c CROSS JOIN head h LEFT JOIN change p ON p.revision = c.previous
      AND p.kind = c.kind AND p.namespace = c.namespace AND p.name = c.name AND p.uid = c.uid
      AND p.type <> 3
    WHERE c.previous IS NOT NULL AND c.revision > h.compacted AND p.revision IS NULL`,
  `SELECT 'change ' || c.revision || ' has a type that does not fit what it replaces' FROM change c
    WHERE (c.type = 1) <> (c.previous IS NULL) OR c.type NOT IN (1, 2, 3)`,
  `SELECT 'change ' || min(revision) || ' is replaced twice' FROM change
    WHERE previous IS NOT NULL GROUP BY previous HAVING count(*) > 1`,
  `SELECT 'change ' || c.revision || ' has a damaged document' FROM change c
    WHERE c.sealed IS NULL AND c.document IS NOT NULL
    AND substring(sha256(convert_to(c.document, 'UTF8')) FROM 1 FOR 16) <> c.digest`,
  `SELECT 'change ' || revision || ' has no document' FROM change
    WHERE document IS NULL AND type <> 3`,
  // The indexes over it
  `SELECT 'resource ' || r.kind || '/' || r.namespace || '/' || r.name || ' differs from its change'
    FROM resource r LEFT JOIN change c ON c.revision = r.revision AND c.kind = r.kind
      AND c.namespace = r.namespace AND c.name = r.name AND c.uid = r.uid AND c.digest = r.digest
      AND c.terms = r.terms AND c.type <> 3 AND ${sizeOf("c")} = r.size
    WHERE c.revision IS NULL`,
  `SELECT 'change ' || c.revision || ' is current but not indexed' FROM change c
    LEFT JOIN change n ON n.previous = c.revision LEFT JOIN resource r ON r.revision = c.revision
    WHERE c.type <> 3 AND n.revision IS NULL AND r.revision IS NULL
    AND c.revision > (SELECT done FROM compaction)`,
  `SELECT 'term ' || coalesce(t.term, w.term) || ' of ' || coalesce(t.kind, w.kind) || '/'
      || coalesce(t.namespace, w.namespace) || '/' || coalesce(t.name, w.name) || ' is wrong'
    FROM term t FULL JOIN (SELECT DISTINCT r.kind, x.term COLLATE "C" AS term, r.namespace, r.name
      FROM resource r, unnest(r.terms) x(term)) w ON w.kind = t.kind AND w.term = t.term
      AND w.namespace = t.namespace AND w.name = t.name
    WHERE t.kind IS NULL OR w.kind IS NULL`,
  // What hangs on resources
  ...["due", "unique_name", "usage"].map(
    (table) => `SELECT '${table} of ' || x.kind || '/' || x.namespace || '/' || x.name
        || ', which does not exist'
      FROM ${table} x LEFT JOIN resource r ON r.kind = x.kind AND r.namespace = x.namespace
        AND r.name = x.name WHERE r.kind IS NULL`,
  ),
  `SELECT 'limit of ' || x.counter || ' has no holder' FROM counter x LEFT JOIN resource r
      ON r.kind = x.kind AND r.namespace = x.namespace AND r.name = x.name
    WHERE x.max IS NOT NULL AND r.kind IS NULL`,
  `SELECT 'counter ' || coalesce(c.counter, u.counter) || ' is not the sum of its uses'
    FROM counter c FULL JOIN (SELECT counter, sum(amount) AS value FROM usage GROUP BY counter) u
      ON u.counter = c.counter
    WHERE coalesce(c.value, 0) <> coalesce(u.value, 0)`,
  `SELECT 'claim of ' || d.kind || '/' || d.namespace || '/' || d.name || ' is newer than the head'
    FROM due d, claim_token s WHERE d.token > s.last_value`,
];

export async function findings(pool: Pool, limit: number): Promise<readonly string[]> {
  return await withScan(pool, async (scan) => await violations(scan, limit));
}

/** In a transaction that is under way, which may still be rolled back. */
export async function violations(scan: Scan, limit: number): Promise<readonly string[]> {
  const found: string[] = [];
  for (const check of checks) {
    if (found.length >= limit) break;
    const rows = await scan(`${check} LIMIT $1`, [limit - found.length]);
    for (const row of rows) found.push(row[0] as string);
  }
  return found;
}

/**
 * The invariants of the stored data, each as a query whose rows are findings. They are written
 * against the tables and share nothing with the code that writes, so a mistake there shows here.
 * All run on one moment of the database.
 */
import type { DatabaseSync } from "node:sqlite";
import { documentDigest } from "../../kernel/document.ts";
import { rows, sqliteCode } from "./sql.ts";

const plainError = 1;

const key = (table: string) => `${table}.kind || '/' || ${table}.namespace || '/' || ${table}.name`;
const sameKey = (a: string, b: string) =>
  `${a}.kind = ${b}.kind AND ${a}.namespace = ${b}.namespace AND ${a}.name = ${b}.name`;
const heldBy = (table: string) =>
  `r.kind = ${table}.holder_kind AND r.namespace = ${table}.holder_namespace
   AND r.name = ${table}.holder_name`;

export const invariants: readonly string[] = [
  `SELECT 'the log has ' || count(c.revision) || ' changes above its mark and not '
     || (h.revision - h.compacted)
   FROM head h LEFT JOIN change c ON c.revision > h.compacted AND c.revision <= h.revision
   GROUP BY h.id HAVING count(c.revision) <> h.revision - h.compacted`,
  `SELECT 'change ' || c.revision || ' is above the head' FROM change c, head h
   WHERE c.revision > h.revision`,
  `SELECT 'the compaction is at ' || compacting || ', beyond its mark ' || compacted FROM head
   WHERE compacting > compacted OR compacted > revision`,
  `SELECT 'change ' || c.revision || ' replaces ' || ifnull(c.previous, 'nothing') || ' wrongly'
   FROM change c JOIN head h ON c.revision > h.compacted
   LEFT JOIN change p ON p.revision = c.previous
   WHERE (c.type = 'created') <> (c.previous IS NULL)
     OR (c.previous IS NOT NULL AND (p.revision IS NULL OR p.revision >= c.revision
       OR p.type = 'deleted' OR p.uid <> c.uid OR NOT (${sameKey("p", "c")})))`,
  `SELECT 'change ' || previous || ' was replaced more than once' FROM change
   WHERE previous IS NOT NULL GROUP BY previous HAVING count(*) > 1`,
  `SELECT 'change ' || c.revision || ' has no document' FROM change c
   LEFT JOIN change p ON p.revision = c.previous
   WHERE c.document IS NULL AND (c.type <> 'deleted' OR p.document IS NULL)`,
  `SELECT ${key("r")} || ' does not match change ' || r.revision FROM resource r
   LEFT JOIN change c ON c.revision = r.revision
   WHERE c.revision IS NULL OR c.type = 'deleted' OR NOT (${sameKey("c", "r")})
     OR c.uid <> r.uid OR c.digest <> r.digest OR c.terms <> r.terms`,
  `SELECT 'change ' || c.revision || ' is the newest of ' || ${key("c")} || ' but not current'
   FROM change c JOIN head h LEFT JOIN resource r ON ${sameKey("r", "c")}
   WHERE c.type <> 'deleted' AND (r.revision IS NULL OR r.revision <> c.revision)
     AND NOT EXISTS (SELECT 1 FROM replaced p WHERE p.revision = c.revision)
     AND (c.revision > h.compacted OR h.compacting >= h.compacted)`,
  `SELECT 'change ' || c.revision || ' should have been compacted' FROM change c JOIN head h
   WHERE c.revision <= h.compacting AND (c.type = 'deleted' OR EXISTS (
     SELECT 1 FROM replaced p WHERE p.revision = c.revision AND p.by <= h.compacting))`,
  `SELECT ${key("r")} || ' is not indexed as ' || t.value FROM resource r, json_each(r.terms) t
   WHERE NOT EXISTS (SELECT 1 FROM term x WHERE x.term = t.value AND ${sameKey("x", "r")})`,
  // As two sets: to look each term up in the list of its resource takes time by their square.
  `SELECT ${key("x")} || ' is indexed as ' || x.term || ' wrongly' FROM (
     SELECT kind, term, namespace, name FROM term
     EXCEPT SELECT r.kind, t.value, r.namespace, r.name FROM resource r, json_each(r.terms) t) x`,
  `SELECT ${key("d")} || ' is due but does not exist' FROM due d
   WHERE NOT EXISTS (SELECT 1 FROM resource r WHERE ${sameKey("r", "d")})`,
  `SELECT ${key("d")} || ' has the token ' || d.token || ', newer than the head' FROM due d, head h
   WHERE d.token > h.last_token`,
  `SELECT ${key("d")} || ' is claimed without a time' FROM due d
   WHERE d.token IS NOT NULL AND d.due_at IS NULL`,
  `SELECT 'the counter ' || counter || ' is not the sum of its uses' FROM (
     SELECT counter, value FROM counter
     UNION ALL SELECT counter, -amount FROM counter_use)
   GROUP BY counter HAVING sum(value) <> 0`,
  `SELECT 'the name ' || n.name || ' in ' || n.scope || ' has no holder' FROM unique_name n
   WHERE NOT EXISTS (SELECT 1 FROM resource r WHERE ${heldBy("n")})`,
  `SELECT 'a use of ' || u.counter || ' has no holder' FROM counter_use u
   WHERE NOT EXISTS (SELECT 1 FROM resource r WHERE ${heldBy("u")})`,
  `SELECT 'the limit of ' || b.counter || ' has no holder' FROM counter_bound b
   WHERE NOT EXISTS (SELECT 1 FROM resource r WHERE ${heldBy("b")})`,
];

/** Which change was replaced by which; `previous` has no index of its own, so it is made once. */
export const replacedTable = `
  CREATE TEMP TABLE IF NOT EXISTS replaced (revision INTEGER PRIMARY KEY, by INTEGER);
  DELETE FROM temp.replaced;
  INSERT OR IGNORE INTO temp.replaced SELECT previous, revision FROM change
  WHERE previous IS NOT NULL`;

export function verify(db: DatabaseSync, limit: number): readonly string[] {
  db.exec("BEGIN");
  try {
    return verifyWithin(db, limit);
  } finally {
    db.exec("COMMIT");
  }
}

/** In a transaction that is under way, which may still be rolled back. */
export function verifyWithin(db: DatabaseSync, limit: number): readonly string[] {
  const findings: string[] = [];
  for (const [finding] of rows<[string]>(db, "PRAGMA quick_check").all()) {
    if (finding !== "ok") findings.push(finding);
  }
  db.exec(replacedTable);
  for (const sql of invariants) {
    if (findings.length >= limit) break;
    findings.push(...violations(db, sql, limit));
  }
  findings.push(...damagedDocuments(db, limit - findings.length));
  return findings.slice(0, limit);
}

/** What keeps a query from running, as terms that are no longer JSON do, is a finding too. */
function violations(db: DatabaseSync, sql: string, limit: number): readonly string[] {
  try {
    const found = rows<[string]>(db, `${sql} LIMIT ?`).all(limit);
    return found.map(([finding]) => finding);
  } catch (error) {
    if (!(error instanceof Error) || sqliteCode(error) !== plainError) throw error;
    return [`an invariant cannot be checked: ${error.message}`];
  }
}

/** Pages have no checksum, so flipped bytes inside a document show only in its digest. */
function damagedDocuments(db: DatabaseSync, limit: number): readonly string[] {
  const findings: string[] = [];
  const plain = rows<[number, Uint8Array, Uint8Array]>(
    db,
    `SELECT revision, CAST(document AS BLOB), digest FROM change
     WHERE document IS NOT NULL AND sealed IS NULL`,
  );
  for (const [revision, document, digest] of plain.iterate()) {
    if (findings.length >= limit) break;
    if (!documentDigest(document).equals(digest)) {
      findings.push(`change ${revision} has a damaged document`);
    }
  }
  return findings;
}

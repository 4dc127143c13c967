/**
 * Everything in a database as rows, on one moment of it, a page at a time so that the thread stays
 * free in between. The connection is the dump's own: writers go on, and the rows do not change.
 */
import type { DatabaseSync } from "node:sqlite";
import { decodeCause } from "../stored-cause.ts";
import type { Change, DumpRow } from "../port.ts";
import { RevisionSet } from "../revision-set.ts";
import { readStanding } from "./standing.ts";
import { bufferOf, causeOrNull, rows } from "./sql.ts";
import type { Value } from "./sql.ts";

const pageRows = 500;
const pageBytes = 1_048_576;

export type ChangeRow = [
  ...[revision: number, previous: number | null, type: Change["type"]],
  ...[kind: string, namespace: string, name: string, uid: string, atMs: number, terms: string],
  ...[digest: Uint8Array, document: Uint8Array | null, sealed: Uint8Array | null],
  cause: Uint8Array | null,
];

export const changeColumns = `revision, previous, type, kind, namespace, name, uid, at_ms, terms,
  digest, CAST(document AS BLOB), sealed, c.cause`;

/** Synchronous; the caller pauses between rows as it likes. Ends the read transaction itself. */
export function* dumpRows(db: DatabaseSync, nowMs: number): Iterable<DumpRow> {
  const [head = 0, compacted = 0, compacting = 0, lastToken = 0] =
    rows<[number, number, number, number]>(
      db,
      "SELECT revision, compacted, compacting, last_token FROM head",
    ).get() ?? [];
  yield { row: "meta", head, compacted, lastToken, ...placeOf(db) };
  yield* changeRows(db, compacted, compacting);
  const holder = "holder_kind, holder_namespace, holder_name";
  yield* held(db, `SELECT ${holder}, scope, name FROM unique_name`, (key, scope, name) => {
    return { row: "name", name: { scope: String(scope), name: String(name) }, key };
  });
  yield* held(db, `SELECT ${holder}, counter, amount FROM counter_use`, (key, counter, amount) => {
    return { row: "use", use: { counter: String(counter), amount: Number(amount) }, key };
  });
  yield* held(db, `SELECT ${holder}, counter, max FROM counter_bound`, (key, counter, max) => {
    return { row: "bound", bound: { counter: String(counter), max: Number(max) }, key };
  });
  // A claim's holder does not outlive the restore, but the wake that waits behind it does.
  const due = `SELECT kind, namespace, name, min(due_at, ifnull(wake_at, due_at)), attempts FROM due
    WHERE due_at IS NOT NULL`;
  yield* held(db, due, (key, dueAt, attempts) => {
    const afterMs = Math.max(0, Number(dueAt) - nowMs);
    return { row: "due", key, afterMs, attempts: Number(attempts) };
  });
}

/** Where a secondary continues. A file that is opened for reading only may lack the columns. */
function placeOf(db: DatabaseSync): { readonly epoch: number; readonly held: number } | undefined {
  const column = "SELECT 1 FROM pragma_table_info('head') WHERE name = 'epoch'";
  if (rows<[number]>(db, column).get() === undefined) return undefined;
  const { epoch, at } = readStanding(db).standing;
  return { epoch, held: at.held };
}

/** Rows that a compaction has still to remove are left out: for readers they are gone already. */
function* changeRows(db: DatabaseSync, compacted: number, compacting: number): Iterable<DumpRow> {
  const replaced = new RevisionSet();
  const late = rows<[number, number | null, string]>(
    db,
    "SELECT revision, previous, type FROM change WHERE revision > ? AND revision <= ?",
  );
  for (const [revision, previous, type] of late.iterate(compacting, compacted)) {
    if (previous !== null) replaced.add(previous);
    if (type === "deleted") replaced.add(revision);
  }
  const all = rows<ChangeRow>(
    db,
    causeOrNull(db, `SELECT ${changeColumns} FROM change c ORDER BY revision`),
  );
  for (const row of all.iterate()) {
    if (!replaced.has(row[0])) yield encodedChange(row);
  }
}

/** As it is stored: a secret stays sealed. */
export function encodedChange(row: ChangeRow): Extract<DumpRow, { row: "change" }> {
  const [revision, previous, type, kind, namespace, name, uid, atMs, terms] = row;
  const [, , , , , , , , , digest, document, sealed, cause] = row;
  return {
    row: "change",
    revision,
    previous,
    type,
    key: { kind, namespace, name },
    uid,
    atMs,
    terms: JSON.parse(terms) as readonly string[],
    digest: bufferOf(digest),
    document: document === null ? null : bufferOf(document),
    sealed: sealed === null ? null : bufferOf(sealed),
    ...(cause !== null && { cause: decodeCause(cause) }),
  };
}

type HeldRow = [kind: string, namespace: string, name: string, a: Value, b: Value];

function* held(
  db: DatabaseSync,
  sql: string,
  make: (key: Extract<DumpRow, { row: "name" }>["key"], a: Value, b: Value) => DumpRow,
): Iterable<DumpRow> {
  for (const [kind, namespace, name, a, b] of rows<HeldRow>(db, sql).iterate()) {
    yield make({ kind, namespace, name }, a, b);
  }
}

/** Rows in pages that are bounded in number and bytes. */
export function* pagesOf(source: Iterable<DumpRow>): Iterable<readonly DumpRow[]> {
  let page: DumpRow[] = [];
  let bytes = 0;
  for (const row of source) {
    page.push(row);
    if (row.row === "change") bytes += row.document?.length ?? 0;
    if (page.length < pageRows && bytes < pageBytes) continue;
    yield page;
    page = [];
    bytes = 0;
  }
  if (page.length > 0) yield page;
}

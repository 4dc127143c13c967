/** Reading single keys and the log. Each is one statement, so each sees one snapshot. */
import { SetpointError } from "../../kernel/errors.ts";
import { limits } from "../../kernel/limits.ts";
import { keyText } from "../../kernel/resource.ts";
import type { ResourceKey } from "../../kernel/resource.ts";
import { readLimits } from "../arguments.ts";
import type { ChangesQuery } from "../arguments.ts";
import type { KeyRing } from "../key-ring.ts";
import type { Change, ChangePage, HistoryOptions, StoredRecord } from "../port.ts";
import { keyArrays } from "./batch.ts";
import { boolArray, textArray } from "./binary-array.ts";
import type { Pool } from "./pool.ts";
import { changeColumns, changeFrom, recordFrom, shownRecord, shownSizeOf } from "./rows.ts";
import type { Row } from "./session.ts";

export interface Reading {
  readonly pool: Pool;
  readonly ring: KeyRing;
}

const getStatement = {
  name: "get",
  text: `SELECT r.revision, r.uid, c.document::varchar, c.sealed
    FROM resource r LEFT JOIN change c ON c.revision = r.revision
    WHERE r.kind = $1 AND r.namespace = $2 AND r.name = $3`,
};

export async function readOne(
  { pool, ring }: Reading,
  key: ResourceKey,
): Promise<StoredRecord | undefined> {
  const [row] = await pool.rows(getStatement, [key.kind, key.namespace, key.name]);
  return row === undefined ? undefined : recordFrom(ring, key, row, 0);
}

const getManyStatement = {
  name: "get_many",
  text: `SELECT k.i, r.revision, r.uid, r.document::varchar, r.sealed
    FROM unnest($1::text[], $2::text[], $3::text[])
      WITH ORDINALITY AS k(kind, namespace, name, i)
    CROSS JOIN LATERAL (SELECT q.revision, q.uid, c.document, c.sealed
      FROM resource q LEFT JOIN change c ON c.revision = q.revision
      WHERE q.kind = k.kind AND q.namespace = k.namespace AND q.name = k.name OFFSET 0) r`,
};

export async function readMany(
  { pool, ring }: Reading,
  keys: readonly ResourceKey[],
): Promise<readonly (StoredRecord | undefined)[]> {
  if (keys.length === 0) return [];
  const rows = await pool.rows(getManyStatement, [...keyArrays(keys)]);
  const records = keys.map((): StoredRecord | undefined => undefined);
  for (const row of rows) {
    const index = (row[0] as number) - 1;
    const key = keys[index];
    if (key !== undefined) records[index] = shownRecord(ring, key, row, 1);
  }
  return records;
}

/** What is known of a key without asking: undefined when nothing is, null when it is not there. */
export type Known = StoredRecord | null | undefined;

const getUnlessKnownStatement = {
  name: "get_unless_known",
  text: `SELECT k.i, r.revision, r.uid, r.document::varchar, r.sealed
    FROM unnest($1::text[], $2::text[], $3::text[], $4::bool[])
      WITH ORDINALITY AS k(kind, namespace, name, known, i)
    LEFT JOIN LATERAL (SELECT q.revision, q.uid, c.document, c.sealed
      FROM resource q LEFT JOIN change c ON c.revision = q.revision
      WHERE q.kind = k.kind AND q.namespace = k.namespace AND q.name = k.name OFFSET 0) r ON true
    WHERE NOT k.known OR (SELECT h.revision FROM head h WHERE h.one) <> $5`,
};

/**
 * As `readMany`, but what is known as of a revision is asked for only if that is no longer the
 * head: nothing has to be looked up then, and no document has to travel. Where all is known, it is
 * only asked for what was changed since.
 */
export async function readUnlessKnown(
  reading: Reading,
  keys: readonly ResourceKey[],
  known: readonly Known[],
  asOf: number,
): Promise<readonly (StoredRecord | undefined)[]> {
  const changed = known.includes(undefined) ? undefined : await changedSince(reading.pool, asOf);
  if (changed === undefined) return await readUnlessHead(reading, keys, known, asOf);
  const isStale = keys.map((key) => changed.size > 0 && changed.has(keyText(key)));
  const read = await readMany(
    reading,
    keys.filter((_, index) => isStale[index]),
  );
  // Each key is then asked for alone, and learns its own.
  for (const record of read) if (record?.unopened !== undefined) throw record.unopened;
  let next = 0;
  return known.map(
    (record, index) => (isStale[index] === true ? read[next++] : record) ?? undefined,
  );
}

const changedSinceStatement = {
  name: "changed_since",
  text: `SELECT h.compacted <= $1 AND $1 <= h.revision, c.kind, c.namespace, c.name
    FROM head h
    LEFT JOIN LATERAL (SELECT q.kind, q.namespace, q.name FROM change q WHERE q.revision > $1
      ORDER BY q.revision LIMIT $2) c ON true WHERE h.one`,
};
/** More than are under way while others are read. */
const mostChanged = 500;

/** The keys of all changes after this revision; undefined when that cannot be told cheaply. */
async function changedSince(pool: Pool, asOf: number): Promise<ReadonlySet<string> | undefined> {
  const rows = await pool.rows(changedSinceStatement, [asOf, mostChanged]);
  // Deletions up to the mark may be forgotten, and a database that was set back has other changes.
  const isToldWhole = rows.length < mostChanged && rows[0]?.[0] === true;
  if (!isToldWhole) return undefined;
  const changed = new Set<string>();
  for (const [, kind, namespace, name] of rows as readonly (string | null)[][]) {
    if (kind !== null) changed.add(keyText({ kind, namespace, name } as ResourceKey));
  }
  return changed;
}

async function readUnlessHead(
  { pool, ring }: Reading,
  keys: readonly ResourceKey[],
  known: readonly Known[],
  asOf: number,
): Promise<readonly (StoredRecord | undefined)[]> {
  const isKnown = boolArray(known.map((record) => record !== undefined));
  const rows = await pool.rows(getUnlessKnownStatement, [...keyArrays(keys), isKnown, asOf]);
  const records = keys.map((_, index) => known[index] ?? undefined);
  for (const row of rows) {
    const index = (row[0] as number) - 1;
    const key = keys[index];
    if (key === undefined) continue;
    records[index] = row[1] === null ? undefined : recordFrom(ring, key, row, 1);
  }
  return records;
}

/**
 * The head comes with every page, from the same snapshot. Rows whose bytes no longer fit the page
 * are left out before their documents are read; `found` counts them too.
 */
function changesText(condition: string): string {
  return `SELECT h.revision, h.compacted, c.* FROM head h
    LEFT JOIN LATERAL (
      SELECT c.found, ${changeColumns}
      FROM (SELECT s.*, sum(s.size) OVER (ORDER BY s.revision ROWS UNBOUNDED PRECEDING) AS total,
          count(*) OVER () AS found
        FROM (SELECT q.*, ${shownSizeOf("q")} AS size FROM change q
          WHERE q.revision > $1 AND q.revision <= $2${condition} ORDER BY q.revision LIMIT $3) s) c
      LEFT JOIN change p ON p.revision = c.previous
      WHERE c.total <= $4 OR c.total = c.size ORDER BY c.revision
    ) c ON true WHERE h.one`;
}

const changesStatement = { name: "changes", text: changesText("") };
/** No index has the kinds in the order of the log: it would cost every write. */
const changesOfKindsStatement = {
  name: "changes_of_kinds",
  text: changesText(" AND q.kind = ANY ($5::text[])"),
};

/** By the pool, or by any one connection. */
interface LogReading {
  readonly pool: Pick<Pool, "rows">;
  readonly ring: KeyRing;
}

/** Up to this revision, which is not above the head. */
export async function readChanges(
  { pool, ring }: LogReading,
  { after, limit, kinds }: ChangesQuery,
  upTo: number,
): Promise<ChangePage> {
  const end = kinds === undefined ? upTo : Math.min(upTo, after + readLimits.searchedChanges);
  const values = [after, end, limit, limits.maxPageBytes];
  const rows =
    kinds === undefined
      ? await pool.rows(changesStatement, values)
      : await pool.rows(changesOfKindsStatement, [...values, textArray(kinds)]);
  const [revision, compacted] = headOf(rows);
  checkReadable(after, revision, compacted);
  const changes = rows.flatMap((row): Change[] =>
    row[2] === null ? [] : [changeFrom(ring, row, 3)],
  );
  const isCut = changes.length === limit || changes.length < ((rows[0]?.[2] ?? 0) as number);
  const through = (isCut ? changes.at(-1)?.revision : undefined) ?? end;
  return { revision, compacted, changes, through };
}

/** As many as fit into a page. */
export async function readRange(
  reading: LogReading,
  after: number,
  upTo: number,
): Promise<readonly Change[]> {
  return (await readChanges(reading, { after, limit: limits.eventPageItems }, upTo)).changes;
}

export function headOf(rows: readonly Row[]): readonly [number, number] {
  const first = firstOf(rows);
  return [first[0] as number, first[1] as number];
}

/** The row of the head, which is always there. */
export function firstOf(rows: readonly Row[]): Row {
  const first = rows[0];
  if (first === undefined) throw new SetpointError("store.corrupt", "the store has lost its head");
  return first;
}

export function checkReadable(revision: number, head: number, compacted: number): void {
  const details = { revision, head, compacted };
  if (revision < compacted) {
    throw new SetpointError("history.gone", `revision ${revision} is compacted`, { details });
  }
  if (revision > head) {
    throw new SetpointError("revision.future", `revision ${revision} is above the head`, {
      details,
    });
  }
}

/**
 * Along `previous`; where a life begins, the newest deletion before it continues the walk. Both
 * lookups are by index, so a key's history costs what it shows, whatever else was written.
 */
const historyStatement = {
  name: "history",
  text: `WITH RECURSIVE mark AS (SELECT compacted FROM head WHERE one), walk AS (
      SELECT greatest(
        (SELECT r.revision FROM resource r WHERE r.kind = $1 AND r.namespace = $2 AND r.name = $3),
        (SELECT d.revision FROM change d WHERE d.type = 3 AND d.kind = $1 AND d.namespace = $2
          AND d.name = $3 ORDER BY d.kind, d.namespace, d.name, d.revision DESC LIMIT 1)
      ) AS revision, 1 AS step
      UNION ALL
      SELECT CASE WHEN c.previous IS NOT NULL THEN c.previous ELSE
        (SELECT d.revision FROM change d WHERE d.type = 3 AND d.kind = $1 AND d.namespace = $2
          AND d.name = $3 AND d.revision < c.revision
          ORDER BY d.kind, d.namespace, d.name, d.revision DESC LIMIT 1) END, w.step + 1
      FROM walk w LEFT JOIN change c ON c.revision = w.revision
      WHERE w.revision > (SELECT compacted FROM mark)
    )
    SELECT ${changeColumns}
    FROM (SELECT s.*, sum(s.size) OVER (ORDER BY s.step ROWS UNBOUNDED PRECEDING) AS total
      FROM (SELECT w.step, q.* FROM walk w CROSS JOIN LATERAL (
          SELECT q.*, ${shownSizeOf("q")} AS size FROM change q WHERE q.revision = w.revision
          OFFSET 0) q
        WHERE w.revision > (SELECT compacted FROM mark) AND w.revision < $4 LIMIT $5) s) c
    LEFT JOIN change p ON p.revision = c.previous
    WHERE c.total <= $6 OR c.total = c.size ORDER BY c.step`,
};

export async function readHistory(
  { pool, ring }: Reading,
  key: ResourceKey,
  options: HistoryOptions = {},
): Promise<readonly Change[]> {
  const { limit = limits.defaultPageItems, before = Number.MAX_SAFE_INTEGER } = options;
  const most = Math.min(limit, limits.maxPageItems);
  const values = [key.kind, key.namespace, key.name, before, most, limits.maxPageBytes];
  const rows = await pool.rows(historyStatement, values);
  return rows.map((row) => changeFrom(ring, row));
}

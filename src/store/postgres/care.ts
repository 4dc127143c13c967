/** Compaction, figures, and who holds what: rare work, in steps that hold nobody up. */
import { limits } from "../../kernel/limits.ts";
import type { ResourceKey } from "../../kernel/resource.ts";
import type { CompactResult, CounterState, StoreStats, UniqueName } from "../port.ts";
import { textArray } from "./binary-array.ts";
import type { Pool } from "./pool.ts";

const markStatement = {
  text: `WITH moved AS (
      UPDATE head SET compacted = greatest(compacted, least($1::bigint, revision)) WHERE one
      RETURNING revision, compacted)
    SELECT compacted, pg_notify(current_schema(), concat_ws(' ', $2::text, revision, 0, compacted))
    FROM moved`,
};
const stepStatement = { name: "compact", text: "SELECT removed, done, mark FROM compact_v2($1)" };

/** Who follows from the mark on has what was held before it. */
const trimStatement = {
  text: `WITH oldest AS MATERIALIZED (SELECT id, after FROM held ORDER BY id LIMIT $2),
    gone AS (DELETE FROM held WHERE id = ANY (ARRAY(SELECT id FROM oldest WHERE after < $1))
      RETURNING id)
    SELECT count(*)::int, coalesce(max(id), 0) FROM gone`,
};
const trimmedStatement = { text: "UPDATE head SET held = greatest(held, $1::bigint) WHERE one" };

/** The mark first, so that no reader can see a history with holes; then step by step. */
export async function compactUpTo(
  pool: Pool,
  upTo: number,
  options: {
    readonly id: string;
    readonly signal: AbortSignal | undefined;
    readonly onMark: (mark: number) => void;
  },
): Promise<CompactResult> {
  const [marked] = await pool.rows(markStatement, [upTo, options.id]);
  const compacted = marked?.[0] as number;
  options.onMark(compacted);
  let removed = 0;
  for (;;) {
    options.signal?.throwIfAborted();
    const [row] = await pool.rows(stepStatement, [limits.compactionBatchItems]);
    removed += row?.[0] as number;
    if ((row?.[1] as number) >= compacted) break;
  }
  await trimHeld(pool, compacted, options.signal);
  return { compacted, removed };
}

async function trimHeld(pool: Pool, compacted: number, signal?: AbortSignal): Promise<void> {
  for (;;) {
    signal?.throwIfAborted();
    const items = limits.compactionBatchItems;
    const [row] = await pool.rows(trimStatement, [compacted, items]);
    const [count, last] = (row ?? [0, 0]) as [number, number];
    if (last > 0) await pool.rows(trimmedStatement, [last]);
    if (count < items) return;
  }
}

/**
 * Settings under which an answered commit may be lost when the machine fails. Not among them is
 * synchronous_commit, which each session sets for itself.
 */
const hazardousSettings: Readonly<Record<string, string>> = {
  fsync: "fsync is off: a crash of the machine loses or damages data; set fsync = on",
  full_page_writes:
    "full_page_writes is off: a crash in the middle of a write damages pages; set it to on",
};

export async function readHazards(pool: Pool): Promise<readonly string[]> {
  const text = "SELECT name FROM pg_settings WHERE setting = 'off' AND name = ANY ($1::text[])";
  const rows = await pool.rows({ text }, [textArray(Object.keys(hazardousSettings))]);
  return rows.flatMap((row) => hazardousSettings[row[0] as string] ?? []);
}

const statsStatement = {
  text: `SELECT h.revision, h.compacted, (SELECT count(*) FROM resource),
    (SELECT count(*) FROM change), (SELECT count(*) FROM due WHERE due_at <= now_v1($1)),
    (SELECT coalesce(sum(pg_total_relation_size(c.oid)), 0)::bigint FROM pg_class c
      WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind = 'r'),
    (SELECT max(version) FROM schema_version)
    FROM head h WHERE h.one`,
};

export async function readStats(
  pool: Pool,
  clockSkewMs: number,
  load: { readonly writes: number; readonly bytes: number },
): Promise<StoreStats> {
  const [row] = await pool.rows(statsStatement, [clockSkewMs]);
  const [revision, compacted, resources, changes, due, bytesOnDisk, schemaVersion] = (row ??
    []) as number[];
  const or = (value: number | undefined): number => value ?? 0;
  return {
    revision: or(revision),
    compacted: or(compacted),
    resources: or(resources),
    changes: or(changes),
    due: or(due),
    bytesOnDisk: or(bytesOnDisk),
    queuedWrites: load.writes,
    queuedBytes: load.bytes,
    schemaVersion: or(schemaVersion),
  };
}

export async function readHolder(pool: Pool, name: UniqueName): Promise<ResourceKey | undefined> {
  const text = "SELECT kind, namespace, name FROM unique_name WHERE scope = $1 AND label = $2";
  const [row] = await pool.rows({ name: "holder", text }, [name.scope, name.name]);
  if (row === undefined) return undefined;
  return { kind: row[0] as string, namespace: row[1] as string, name: row[2] as string };
}

export async function readCounter(pool: Pool, counter: string): Promise<CounterState> {
  const text = "SELECT value, max FROM counter WHERE counter = $1";
  const [row] = await pool.rows({ name: "counter", text }, [counter]);
  if (row === undefined) return { value: 0, max: undefined };
  return { value: row[0] as number, max: (row[1] as number | null) ?? undefined };
}

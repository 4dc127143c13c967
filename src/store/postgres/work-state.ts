/**
 * How work stands, for people who ask. Only rows that want work are looked at, by their indexes, so
 * a question costs what it shows however many resources are settled. Each is one statement.
 */
import type { ResourceKey } from "../../kernel/resource.ts";
import { readLimits } from "../arguments.ts";
import type { Backlog, BacklogQuery, WorkState } from "../work-state.ts";
import { keyArrays } from "./batch.ts";
import type { Row } from "./session.ts";
import type { Working } from "./work.ts";

/** As `stateFrom` reads them. */
const columns = "q.due_at - t.now, q.wake_at - t.now, q.token, q.owner, q.attempts";

const workStatement = {
  name: "work_of",
  text: `WITH time AS MATERIALIZED (SELECT now_v1($4) AS now)
    SELECT k.i, s.* FROM time t
    CROSS JOIN unnest($1::text[], $2::text[], $3::text[])
      WITH ORDINALITY AS k(kind, namespace, name, i)
    CROSS JOIN LATERAL (SELECT ${columns} FROM due q
      WHERE q.kind = k.kind AND q.namespace = k.namespace AND q.name = k.name OFFSET 0) s`,
};

export async function readWork(
  { pool, clockSkewMs }: Working,
  keys: readonly ResourceKey[],
): Promise<readonly (WorkState | undefined)[]> {
  if (keys.length === 0) return [];
  const rows = await pool.rows(workStatement, [...keyArrays(keys), clockSkewMs()]);
  const states = keys.map((): WorkState | undefined => undefined);
  for (const row of rows) states[(row[0] as number) - 1] = stateFrom(row, 1);
  return states;
}

/**
 * The conditions repeat the predicates of the indexes (0001_store.sql). What is ready comes first
 * in them, leased or not; the leased are looked for only when those that wait are fewer than asked
 * for, so that a long backlog is not read to its end.
 */
function backlogText(place: string): string {
  const ready = `FROM due q WHERE ${place} AND q.ready_at > -1 AND q.ready_at <= t.now`;
  const shown = `SELECT q.due_at, q.namespace, q.name, ${columns}`;
  return `WITH time AS MATERIALIZED (SELECT now_v1($4) AS now),
    waiting AS MATERIALIZED (SELECT w.* FROM time t CROSS JOIN LATERAL (
      ${shown} ${ready} AND q.due_at <= t.now ORDER BY q.ready_at LIMIT $2) w),
    leased AS MATERIALIZED (SELECT l.* FROM time t CROSS JOIN LATERAL (
      ${shown} ${ready} AND q.due_at > t.now) l WHERE (SELECT count(*) FROM waiting) < $2),
    later AS MATERIALIZED (SELECT l.* FROM time t CROSS JOIN LATERAL (
      ${shown} FROM due q WHERE ${place} AND q.ready_at > -1 AND q.ready_at > t.now
      ORDER BY q.ready_at LIMIT $2) l),
    counted AS MATERIALIZED (SELECT count(*) AS due FROM time t CROSS JOIN LATERAL (
      SELECT ${ready} AND q.due_at <= t.now LIMIT $3) c)
    SELECT c.due, s.* FROM counted c LEFT JOIN (
      SELECT * FROM (TABLE waiting UNION ALL TABLE leased UNION ALL TABLE later) a
      ORDER BY a.due_at LIMIT $2) s ON true`;
}

const ofKind = "q.kind_no = hashtextextended($1, 0) AND q.kind = $1";
const backlogStatement = { name: "backlog", text: backlogText(ofKind) };
const backlogOfNamespaceStatement = {
  name: "backlog_of_namespace",
  text: backlogText(`${ofKind} AND q.namespace = $5 AND q.namespace >= ''`),
};

export async function readBacklog(
  { pool, clockSkewMs }: Working,
  { kind, namespace, limit }: BacklogQuery & { readonly limit: number },
): Promise<Backlog> {
  const values = [kind, limit, readLimits.countedDue, clockSkewMs()];
  const rows =
    namespace === undefined
      ? await pool.rows(backlogStatement, values)
      : await pool.rows(backlogOfNamespaceStatement, [...values, namespace]);
  const found = rows.filter((row) => row[2] !== null);
  return {
    due: (rows[0]?.[0] ?? 0) as number,
    next: found.map((row) => {
      const key = { kind, namespace: row[2] as string, name: row[3] as string };
      return { key, work: stateFrom(row, 4) };
    }),
  };
}

type State = [
  ...[dueInMs: number | null, wakeInMs: number | null, token: number | null],
  ...[owner: string, attempts: number],
];

function stateFrom(row: Row, start: number): WorkState {
  const [dueInMs, wakeInMs, token, owner, attempts] = row.slice(start) as State;
  if (token === null || dueInMs === null || dueInMs <= 0) {
    return { dueInMs: dueInMs ?? undefined, attempts, claim: undefined };
  }
  return {
    dueInMs: wakeInMs ?? undefined,
    attempts,
    claim: { owner, token, expiresInMs: dueInMs },
  };
}

/** Claims, renewals and due times. Each is one statement on the database's clock. */
import { limits } from "../../kernel/limits.ts";
import { keyText } from "../../kernel/resource.ts";
import type { ResourceKey } from "../../kernel/resource.ts";
import type { KeyRing } from "../key-ring.ts";
import type { Claim, ClaimRef, ClaimRequest, Renewal } from "../port.ts";
import type { RecentLog } from "../recent-log.ts";
import { keyArrays, sortedKeys } from "./batch.ts";
import { int8Array, textArray } from "./binary-array.ts";
import { HeldClaims } from "./held-claims.ts";
import type { Pool } from "./pool.ts";
import { recordFrom } from "./rows.ts";
import type { Row } from "./session.ts";

export interface Working {
  readonly pool: Pool;
  readonly clockSkewMs: () => number;
}

/** What a claim needs to bring the document along. */
export interface Claiming extends Working {
  readonly ring: KeyRing;
  readonly log: RecentLog;
  readonly turns: Turns;
  readonly held: HeldClaims;
}

/** Nothing has been claimed yet. */
export function claimingOn(parts: Omit<Claiming, "turns" | "held">): Claiming {
  return { ...parts, turns: new Map(), held: new HeldClaims() };
}

const claimStatement = {
  name: "claim",
  text: "SELECT * FROM claim_v5($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)",
};

/** How the last call for the same kinds ended, so that the next one goes on from there. */
interface Turn {
  /** Whose turn it was. */
  readonly cursor: string | null;
  /** Whether it got all it asked for, so that more may be waiting. */
  readonly isCrowded: boolean;
}

export type Turns = Map<string, Turn>;

/**
 * A lost answer leaves rows claimed by nobody until the lease ends, which is what a lease is for;
 * so a claim may be repeated like a read. Documents that are in memory do not travel.
 */
export async function claimDue(
  claiming: Claiming,
  request: ClaimRequest,
): Promise<readonly Claim[]> {
  const limit = Math.min(request.limit, limits.maxClaimItems);
  if (limit <= 0 || request.kinds.length === 0) return [];
  const { pool, clockSkewMs, log, turns } = claiming;
  const kinds = [...new Set(request.kinds)];
  const turnKey = JSON.stringify(kinds);
  const before = turns.get(turnKey);
  const rows = await pool.rows(claimStatement, [
    request.owner,
    textArray(kinds),
    limit,
    request.leaseMs,
    request.perNamespace ?? null,
    textArray(request.skipNamespaces ?? []),
    before?.cursor ?? null,
    limits.maxClaimNamespaces,
    log.first,
    log.head,
    before?.isCrowded === true ? "t" : "f",
    clockSkewMs(),
  ]);
  const cursor = rows[0]?.[7] as string | null;
  // One row without a key says that there is nothing.
  const claimed = rows.filter((row) => row[2] !== null);
  turns.set(turnKey, { cursor, isCrowded: claimed.length >= limit });
  return claimed.map((row) => claimFrom(claiming, row));
}

function claimFrom(claiming: Claiming, row: Row): Claim {
  const key = keyFrom(row);
  const body = bodyFrom(claiming, key, row);
  const token = row[3] as number;
  const uid = row[9] as string;
  const revision = row[8] as number;
  claiming.held.note(token, { key, at: row[12] as string, uid, revision });
  const expiresAtMs = row[4] as number;
  const dueAtMs = row[5] as number;
  const attempts = row[6] as number;
  // Written out: a copy of one with the body added to it would be one more for every claim.
  if (body === undefined) return { key, token, uid, revision, expiresAtMs, dueAtMs, attempts };
  return { key, token, uid, revision, expiresAtMs, dueAtMs, attempts, body };
}

function bodyFrom({ ring, log }: Claiming, key: ResourceKey, row: Row): Buffer | undefined {
  if (row[10] === null) {
    const known = log.newest(keyText(key));
    return known !== undefined && known.revision === row[8] ? known.body : undefined;
  }
  try {
    return recordFrom(ring, key, row, 8).body;
  } catch {
    // What cannot be opened is left to the reader, who is told why: the others are claimed as well.
    return undefined;
  }
}

/** Rows are locked in the order that commits use, so neither waits for the other in a circle. */
const renewStatement = {
  name: "renew",
  text: `WITH time AS MATERIALIZED (SELECT now_v1($6) AS now),
    locked AS MATERIALIZED (
      SELECT k.kind, k.namespace, k.name, d.at FROM
        unnest($1::text[], $2::text[], $3::text[], $4::bigint[]) AS k(kind, namespace, name, token)
      CROSS JOIN LATERAL (SELECT q.ctid AS at FROM due q WHERE q.kind = k.kind
        AND q.namespace = k.namespace AND q.name = k.name AND q.token = k.token
        AND q.due_at > (SELECT now FROM time) FOR UPDATE) d)
    UPDATE due SET due_at = (SELECT now FROM time) + $5, kept_at = NULL
    WHERE ctid = ANY (ARRAY(SELECT at FROM locked))
    RETURNING kind, namespace, name, token, due_at`,
};

export async function renewClaims(
  { pool, clockSkewMs }: Working,
  claims: readonly ClaimRef[],
  leaseMs: number,
): Promise<Renewal> {
  if (claims.length === 0) return { renewed: [], lost: [] };
  // One key may be named with several tokens, of which at most one is live.
  const tokens = Map.groupBy(claims, (claim) => keyText(claim.key));
  const pairs = sortedKeys(claims.map((claim) => claim.key)).flatMap((key) =>
    (tokens.get(keyText(key)) ?? []).map(({ token }) => ({ key, token })),
  );
  const rows = await pool.rows(renewStatement, [
    ...keyArrays(pairs.map(({ key }) => key)),
    int8Array(pairs.map(({ token }) => token)),
    leaseMs,
    clockSkewMs(),
  ]);
  const ends = new Map<string, number>();
  for (const row of rows) ends.set(claimText(keyFrom(row), row[3] as number), row[4] as number);
  const renewed: (ClaimRef & { expiresAtMs: number })[] = [];
  const lost: ClaimRef[] = [];
  for (const { key, token } of claims) {
    const expiresAtMs = ends.get(claimText(key, token));
    if (expiresAtMs === undefined) lost.push({ key, token });
    else renewed.push({ key, token, expiresAtMs });
  }
  return { renewed, lost };
}

const nextDueStatement = {
  name: "next_due",
  text: "SELECT due_at, now FROM next_due_v2($1, $2)",
};

export async function untilNextDue(
  { pool, clockSkewMs }: Working,
  kinds: readonly string[],
): Promise<number | undefined> {
  const [row] = await pool.rows(nextDueStatement, [textArray(kinds), clockSkewMs()]);
  const dueAtMs = row?.[0] as number | null;
  return dueAtMs === null ? undefined : Math.max(0, dueAtMs - (row?.[1] as number));
}

function keyFrom(row: readonly unknown[]): ResourceKey {
  return { kind: row[0] as string, namespace: row[1] as string, name: row[2] as string };
}

function claimText(key: ResourceKey, token: number): string {
  return `${token}/${keyText(key)}`;
}

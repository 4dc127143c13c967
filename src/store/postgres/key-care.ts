/** The keys of what is stored: checked, counted, replaced by others, and retired. */
import { SetpointError } from "../../kernel/errors.ts";
import type { ResourceKey } from "../../kernel/resource.ts";
import type { Timers } from "../../kernel/timers.ts";
import { checkEnds, KeyCount } from "../key-care.ts";
import type { KeyUse, SealedEnd } from "../key-care.ts";
import type { KeyRing } from "../key-ring.ts";
import { envelopeKeyId, sealDocument, showDocument } from "../seal.ts";
import { bytesArray, int8Array, textArray } from "./binary-array.ts";
import type { Pool } from "./pool.ts";
import type { Reading } from "./reads.ts";
import type { Row } from "./session.ts";

const sealedStatement = {
  text: `SELECT revision, kind, namespace, name, uid, sealed FROM change
    WHERE sealed IS NOT NULL AND revision > $1 ORDER BY revision LIMIT $2`,
};
/** Changes only envelopes that are still those that were read: another process may be at it too. */
const resealStatement = { text: "SELECT reseal_v1($1, $2, $3, $4)" };
const resealStep = 200;

/** Opens the oldest and the newest envelope, if there is any. */
export async function checkKeys({ pool, ring }: Reading): Promise<void> {
  const ends: SealedEnd[] = [];
  for (const order of ["ASC", "DESC"]) {
    const text = `SELECT kind, namespace, name, uid, sealed FROM change
      WHERE sealed IS NOT NULL AND octet_length(sealed) > 1
      ORDER BY revision ${order} LIMIT 1`;
    for (const [kind, namespace, name, uid, sealed] of await pool.rows({ text })) {
      const key = { kind, namespace, name } as ResourceKey;
      ends.push({ key, uid: uid as string, sealed: sealed as Buffer });
    }
  }
  checkEnds(ring, ends);
}

export async function resealAll({ pool, ring }: Reading, signal?: AbortSignal): Promise<number> {
  let resealed = 0;
  let after = 0;
  for (;;) {
    signal?.throwIfAborted();
    const rows = await pool.rows(sealedStatement, [after, resealStep]);
    const stale = rows.filter((row) => envelopeKeyId(row[5] as Buffer) !== ring.active().id);
    // What cannot be opened stays as it is.
    const opened = stale.flatMap((row) => openedRow(ring, row) ?? []);
    if (opened.length > 0) resealed += await resealRows({ pool, ring }, opened);
    after = (rows.at(-1)?.[0] as number | undefined) ?? after;
    if (rows.length < resealStep) return resealed;
  }
}

interface OpenedRow extends SealedEnd {
  readonly revision: number;
  readonly body: Buffer;
}

function openedRow(ring: KeyRing, row: Row): OpenedRow | undefined {
  const [revision, kind, namespace, name, uid] = row as readonly [number, ...string[]];
  const sealed = row[5] as Buffer;
  const identity = { key: { kind, namespace, name } as ResourceKey, uid: uid as string };
  const { body, unopened } = showDocument(ring, identity, { document: sealed, sealed });
  return unopened === undefined ? { ...identity, revision, sealed, body } : undefined;
}

async function resealRows({ pool, ring }: Reading, rows: readonly OpenedRow[]): Promise<number> {
  // What is blanked in the document does not matter: that part is stored already.
  const fresh = rows.map(({ body, ...identity }) => {
    return sealDocument(ring, identity, { body, secrets: [""] });
  });
  const [row] = await pool.rows(resealStatement, [
    int8Array(rows.map(({ revision }) => revision)),
    bytesArray(
      rows.map(({ sealed }) => sealed),
      "bytea",
    ),
    bytesArray(
      fresh.map(({ sealed }) => sealed),
      "bytea",
    ),
    bytesArray(
      fresh.map(({ digest }) => digest),
      "bytea",
    ),
  ]);
  return row?.[0] as number;
}

/** The head of an envelope is enough, and short. */
const envelopeHeadsStatement = {
  text: `SELECT revision, kind, namespace, name, substring(sealed FROM 1 FOR 16) FROM change
    WHERE sealed IS NOT NULL AND revision > $1 ORDER BY revision LIMIT $2`,
};
const countStep = 2_000;

export async function countKeys(pool: Pool): Promise<readonly KeyUse[]> {
  const count = new KeyCount();
  let after = 0;
  for (;;) {
    const rows = await pool.rows(envelopeHeadsStatement, [after, countStep]);
    for (const [, kind, namespace, name, head] of rows) {
      count.add(head as Buffer, { kind, namespace, name } as ResourceKey);
    }
    after = (rows.at(-1)?.[0] as number | undefined) ?? after;
    if (rows.length < countStep) return count.uses;
  }
}

/** Whoever reads or writes resources holds a lock on the table, from before its snapshot on. */
const underWayStatement = {
  text: `SELECT l.virtualtransaction FROM pg_locks l WHERE l.locktype = 'relation'
    AND l.relation = 'resource'::regclass AND l.pid <> pg_backend_pid()
    AND l.database = (SELECT d.oid FROM pg_database d WHERE d.datname = current_database())
    AND ($1::text[] IS NULL OR l.virtualtransaction = ANY ($1))`,
};
const pauseMs = 20;
const longestWaitMs = 120_000;

/** Until every statement has ended that may not have seen what is committed by now. */
export async function earlierStatementsEnd(pool: Pool, timers: Timers): Promise<void> {
  let left = await pool.rows(underWayStatement, [null]);
  for (let waitedMs = 0; left.length > 0; waitedMs += pauseMs) {
    if (waitedMs >= longestWaitMs) {
      throw new SetpointError("store.unavailable", "an earlier transaction is still open", {
        suggestion: "wait until backups and long queries on the database end, then try again",
      });
    }
    await timers.sleep(pauseMs);
    const ids = left.map((row) => row[0] as string);
    left = await pool.rows(underWayStatement, [textArray(ids)]);
  }
}

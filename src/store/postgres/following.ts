/**
 * Stores a shipment in one transaction. What its rows leave behind is written, not each step: a
 * name that moves within a shipment is moved once. Rows of `held` are kept as they came, so that
 * this store can ship them when it is the primary.
 */
import { keyText } from "../../kernel/resource.ts";
import type { ChangeRow, HeldRow, Place, Promotion, Shipment, Standing } from "../replication.ts";
import { checkContinues, checkDemotion, checkPromotion } from "../shipment.ts";
import { lastChanges, lastHeld, revisionLeap, splitRows, tokenLeap } from "../shipment.ts";
import { keyArrays } from "./batch.ts";
import { arrayLiteral, bytesArray, int4Array, int8Array, textArray } from "./binary-array.ts";
import { insertChanges } from "./load-changes.ts";
import { readLink, standingColumns, standingFrom } from "./shipping.ts";
import { freePlanning } from "./scan.ts";
import type { Scan } from "./scan.ts";
import type { Session } from "./session.ts";

export async function followOn(session: Session, shipment: Shipment): Promise<Place> {
  const run: Scan = async (text, values) => await session.rows({ text }, values);
  return await session.transaction(run, "BEGIN", async () => {
    const own = await lockedStanding(run);
    const link = await readLink(run, shipment.from.revision);
    checkContinues(own, link, shipment);
    const { changes, held } = splitRows(shipment);
    if (changes.length > 0) {
      await insertChanges(run, changes);
      await moveResources(run, lastChanges(changes));
    }
    if (held.length > 0) {
      await keep(run, held);
      const last = lastHeld(held);
      await moveNames(run, ofKind(last, "name"));
      await moveUses(run, ofKind(last, "use"));
      await moveBounds(run, ofKind(last, "bound"));
    }
    const { to, epoch, lastToken } = shipment;
    await raiseToken(run, lastToken);
    await run("UPDATE head SET revision = $1, held = $2, epoch = $3 WHERE one", [
      to.revision,
      to.held,
      epoch,
    ]);
    await run("SELECT pg_notify(current_schema(), concat_ws(' ', 'follow', $1::bigint, 0))", [
      to.revision,
    ]);
    return to;
  });
}

/** The lock of a commit; then what the store is, which stays so for the transaction. */
async function lockedStanding(run: Scan): Promise<Standing> {
  await run("SELECT pg_advisory_xact_lock(hashtextextended(current_schema(), 7370002))");
  const [head] = await run(`SELECT ${standingColumns} FROM head h WHERE h.one FOR UPDATE OF h`);
  return standingFrom(head);
}

export async function promoteOn(
  session: Session,
  promotion: Promotion,
  clockSkewMs: number,
): Promise<Standing> {
  const run = runOn(session);
  return await session.transaction(run, "BEGIN", async () => {
    await run(`${freePlanning}; SET LOCAL statement_timeout = ${changeLimitMs}`);
    checkPromotion(await lockedStanding(run), promotion);
    const { from, kinds, perSecond } = promotion;
    if (from !== undefined) await raiseToken(run, from.lastToken);
    const leap = from === undefined ? revisionLeap : 0;
    const values = [clockSkewMs, leap, tokenLeap, textArray(kinds), perSecond];
    await run("SELECT promote_v1($1, $2, $3, $4, $5)", values);
    return await lockedStanding(run);
  });
}

export async function demoteOn(
  session: Session,
  primary: string,
  epoch?: number,
): Promise<Standing> {
  const run = runOn(session);
  return await session.transaction(run, "BEGIN", async () => {
    const own = await lockedStanding(run);
    checkDemotion(own, epoch);
    await run("SELECT demote_v2($1, $2)", [primary, epoch ?? own.epoch]);
    return await lockedStanding(run);
  });
}

/** A promotion writes a row for each resource that it wakes. */
const changeLimitMs = 600_000;

function runOn(session: Session): Scan {
  return async (text, values) => await session.rows({ text }, values, changeLimitMs);
}

async function raiseToken(run: Scan, token: number): Promise<void> {
  const text = "SELECT setval('claim_token', $1) FROM claim_token WHERE last_value < $1::bigint";
  await run(text, [token]);
}

async function moveResources(run: Scan, rows: readonly ChangeRow[]): Promise<void> {
  const keys = keyArrays(rows.map(({ key }) => key));
  const live = rows.filter(({ type }) => type !== "deleted");
  const liveKeys = keyArrays(live.map(({ key }) => key));
  const named = "unnest($1::text[], $2::text[], $3::text[]) AS k(kind, namespace, name)";
  await run(
    `DELETE FROM term WHERE ctid = ANY (ARRAY(SELECT t.at FROM ${named}
       CROSS JOIN LATERAL (SELECT r.terms FROM resource r WHERE r.kind = k.kind
         AND r.namespace = k.namespace AND r.name = k.name OFFSET 0) r
       CROSS JOIN LATERAL unnest(r.terms) AS n(term)
       CROSS JOIN LATERAL (SELECT q.ctid AS at FROM term q WHERE q.kind = k.kind
         AND q.term = n.term AND q.namespace = k.namespace AND q.name = k.name OFFSET 0) t))`,
    keys,
  );
  await run(
    `DELETE FROM resource WHERE ctid = ANY (ARRAY(SELECT r.at FROM ${named}
       CROSS JOIN LATERAL (SELECT q.ctid AS at FROM resource q WHERE q.kind = k.kind
         AND q.namespace = k.namespace AND q.name = k.name OFFSET 0) r))`,
    keys,
  );
  if (live.length === 0) return;
  await run(
    `INSERT INTO resource (kind, namespace, name, revision, size, uid, digest, terms)
     SELECT w.kind, w.namespace, w.name, w.revision, w.size, w.uid, w.digest, w.terms::text[]
     FROM unnest($1::text[], $2::text[], $3::text[], $4::bigint[], $5::int[], $6::text[],
       $7::bytea[], $8::text[]) AS w(kind, namespace, name, revision, size, uid, digest, terms)`,
    [
      ...liveKeys,
      int8Array(live.map(({ revision }) => revision)),
      int4Array(
        live.map(({ document, sealed }) => (document?.length ?? 0) + (sealed?.length ?? 0)),
      ),
      textArray(live.map(({ uid }) => uid)),
      bytesArray(
        live.map(({ digest }) => digest),
        "bytea",
      ),
      textArray(live.map(({ terms }) => arrayLiteral(terms))),
    ],
  );
  await run(
    `INSERT INTO term (kind, term, namespace, name)
     SELECT DISTINCT w.kind, n.term, w.namespace, w.name
     FROM unnest($1::text[], $2::text[], $3::text[], $4::text[]) AS w(kind, namespace, name, terms),
       unnest(w.terms::text[]) AS n(term)`,
    [...liveKeys, textArray(live.map(({ terms }) => arrayLiteral(terms)))],
  );
}

async function keep(run: Scan, rows: readonly HeldRow[]): Promise<void> {
  await run(
    `INSERT INTO held (kind, namespace, name, id, after, what, scope, label, amount)
     SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::bigint[], $5::bigint[],
       $6::text[], $7::text[], $8::text[], $9::bigint[])`,
    [
      ...keyArrays(rows.map(({ key }) => key)),
      int8Array(rows.map(({ id }) => id)),
      int8Array(rows.map(({ after }) => after)),
      textArray(rows.map(({ what }) => what)),
      textArray(rows.map(({ scope }) => scope)),
      textArray(rows.map(({ name }) => name)),
      int8Array(rows.map(({ amount }) => amount)),
    ],
  );
}

async function moveNames(run: Scan, rows: readonly HeldRow[]): Promise<void> {
  if (rows.length === 0) return;
  await run(
    `DELETE FROM unique_name WHERE ctid = ANY (ARRAY(
       SELECT n.at FROM unnest($1::text[], $2::text[]) AS k(scope, label)
       CROSS JOIN LATERAL (SELECT q.ctid AS at FROM unique_name q WHERE q.scope = k.scope
         AND q.label = k.label OFFSET 0) n))`,
    [textArray(rows.map(({ scope }) => scope)), textArray(rows.map(({ name }) => name))],
  );
  const taken = rows.filter(({ amount }) => amount !== null);
  await run(
    `INSERT INTO unique_name (kind, namespace, name, scope, label)
     SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[])`,
    [
      ...keyArrays(taken.map(({ key }) => key)),
      textArray(taken.map(({ scope }) => scope)),
      textArray(taken.map(({ name }) => name)),
    ],
  );
}

async function moveUses(run: Scan, rows: readonly HeldRow[]): Promise<void> {
  if (rows.length === 0) return;
  await run(
    `WITH given AS MATERIALIZED (
       SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::bigint[])
         AS w(kind, namespace, name, counter, amount)),
     former AS MATERIALIZED (
       SELECT u.at, u.counter, u.amount FROM given g CROSS JOIN LATERAL (
         SELECT q.ctid AS at, q.counter, q.amount FROM usage q WHERE q.kind = g.kind
           AND q.namespace = g.namespace AND q.name = g.name AND q.counter = g.counter
         OFFSET 0) u),
     gone AS (DELETE FROM usage WHERE ctid = ANY (ARRAY(SELECT at FROM former)) RETURNING 1)
     SELECT count_v1(array_agg(counter), array_agg(amount)) FROM (
       SELECT counter, -amount AS amount FROM former
       UNION ALL SELECT counter, amount FROM given WHERE amount IS NOT NULL) d`,
    usesOf(rows),
  );
  const taken = rows.filter(({ amount }) => amount !== null);
  await run(
    `INSERT INTO usage (kind, namespace, name, counter, amount)
     SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::bigint[])`,
    usesOf(taken),
  );
}

function usesOf(rows: readonly HeldRow[]): readonly Buffer[] {
  return [
    ...keyArrays(rows.map(({ key }) => key)),
    textArray(rows.map(({ scope }) => scope)),
    int8Array(rows.map(({ amount }) => amount)),
  ];
}

async function moveBounds(run: Scan, rows: readonly HeldRow[]): Promise<void> {
  if (rows.length === 0) return;
  const counters = textArray(rows.map(({ scope }) => scope));
  await run(
    `UPDATE counter SET max = NULL, kind = NULL, namespace = NULL, name = NULL
     WHERE counter = ANY ($1::text[])`,
    [counters],
  );
  const taken = rows.filter(({ amount }) => amount !== null);
  await run(
    `INSERT INTO counter AS c (kind, namespace, name, counter, max, value)
     SELECT w.*, 0 FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::bigint[]) w
     ON CONFLICT (counter) DO UPDATE SET kind = excluded.kind, namespace = excluded.namespace,
       name = excluded.name, max = excluded.max`,
    usesOf(taken),
  );
  await run("DELETE FROM counter WHERE counter = ANY ($1::text[]) AND value = 0 AND max IS NULL", [
    counters,
  ]);
}

function ofKind(rows: readonly HeldRow[], what: HeldRow["what"]): readonly HeldRow[] {
  const found = rows.filter((row) => row.what === what);
  // In one order in every process.
  return found.toSorted((x, y) => (keyText(x.key) < keyText(y.key) ? -1 : 1));
}

/** Reads what a primary ships: whole commits, on one moment of the database (../shipment.ts). */
import type { ResourceKey } from "../../kernel/resource.ts";
import type { KeyRing } from "../key-ring.ts";
import type { HeldRow, Place, Role, Shipment, Standing } from "../replication.ts";
import { authenticate, endOf, future, gone, linkOf } from "../shipment.ts";
import type { ChangeSize } from "../shipment.ts";
import { changeRow, storedColumns } from "./dump.ts";
import type { Pool } from "./pool.ts";
import { changeType, sizeOf } from "./rows.ts";
import { withScan } from "./scan.ts";
import type { Scan } from "./scan.ts";
import type { Row } from "./session.ts";

interface Standpoint {
  readonly standing: Standing;
  /** Changes after this can be shipped. */
  readonly mark: number;
  readonly nowMs: number;
}

export const standingColumns = `h.role, h.epoch, h.primary_name, h.revision,
  greatest(h.held, (SELECT max(q.id) FROM held q)),
  (SELECT t.last_value FROM claim_token t)`;

export function standingFrom(row: Row | undefined): Standing {
  const [role, epoch, primary, revision, held, lastToken] = (row ?? []) as unknown[];
  return {
    role: role as Role,
    epoch: epoch as number,
    primary: primary as string,
    at: { revision: revision as number, held: held as number },
    lastToken: lastToken as number,
  };
}

export async function readStanding(pool: Pool): Promise<Standing> {
  const [row] = await pool.rows({ text: `SELECT ${standingColumns} FROM head h WHERE h.one` });
  return standingFrom(row);
}

async function standpoint(scan: Scan, clockSkewMs: number): Promise<Standpoint> {
  const [row] = await scan(
    `SELECT ${standingColumns}, greatest(h.compacted, h.ships_from), now_v1($1)
     FROM head h WHERE h.one`,
    [clockSkewMs],
  );
  const [mark = 0, nowMs = 0] = (row?.slice(6) ?? []) as number[];
  return { standing: standingFrom(row), mark, nowMs };
}

export async function readShipment(
  { pool, ring }: { readonly pool: Pool; readonly ring: KeyRing },
  after: Place,
  { limit, clockSkewMs }: { readonly limit: number; readonly clockSkewMs: number },
): Promise<Shipment> {
  return await withScan(pool, async (scan) => {
    const { standing, mark, nowMs } = await standpoint(scan, clockSkewMs);
    const { at, epoch, lastToken } = standing;
    if (after.revision > at.revision || after.held > at.held) throw future(after, at);
    if (after.revision < mark) throw gone(after, mark);
    const end = await findEnd(scan, after.revision, limit, at.revision);
    const changes = await scan(
      `SELECT ${storedColumns} FROM change c WHERE c.revision > $1 AND c.revision <= $2
       ORDER BY c.revision`,
      [after.revision, end],
    );
    // Of the commits that begin at the end, those that are not in this shipment may have changes.
    const held = await heldRows(scan, after.held, end === at.revision ? end : end - 1);
    const to = { revision: end, held: held.at(-1)?.id ?? after.held };
    const link = await readLink(scan, after.revision);
    const rows = [...changes.map(changeRow), ...held];
    const seen = { lastToken, head: at.revision, atMs: nowMs };
    return authenticate(ring, { epoch, from: after, link, rows, to, ...seen });
  });
}

async function findEnd(scan: Scan, after: number, limit: number, head: number): Promise<number> {
  if (after === head) return head;
  for (let most = limit + 1; ; most *= 2) {
    const rows = await scan(
      `SELECT c.revision, c.at_ms, ${sizeOf("c")} FROM change c WHERE c.revision > $1
       ORDER BY c.revision LIMIT $2`,
      [after, most],
    );
    const sizes = (rows as readonly number[][]).map(([revision, atMs, bytes]): ChangeSize => {
      return { revision: revision ?? 0, atMs: atMs ?? 0, bytes: bytes ?? 0 };
    });
    const end = endOf(sizes, limit, head);
    if (end !== undefined) return end;
  }
}

async function heldRows(scan: Scan, afterId: number, end: number): Promise<readonly HeldRow[]> {
  const rows = await scan(
    `SELECT id, after, what, scope, label, kind, namespace, name, amount FROM held
     WHERE id > $1 AND after <= $2 ORDER BY id`,
    [afterId, end],
  );
  return rows.map((row): HeldRow => {
    return {
      row: "held",
      id: row[0] as number,
      after: row[1] as number,
      what: row[2] as HeldRow["what"],
      scope: row[3] as string,
      name: row[4] as string,
      key: keyAt(row, 5),
      amount: row[8] as number | null,
    };
  });
}

/** Null when the change is not in the log any more. */
export async function readLink(scan: Scan, revision: number): Promise<string | null> {
  const [row] = await scan(
    "SELECT type, kind, namespace, name, uid, at_ms FROM change WHERE revision = $1",
    [revision],
  );
  if (row === undefined) return null;
  const type = changeType(row[0] as number);
  return linkOf({
    revision,
    type,
    key: keyAt(row, 1),
    uid: row[4] as string,
    atMs: row[5] as number,
  });
}

function keyAt(row: Row, at: number): ResourceKey {
  return {
    kind: row[at] as string,
    namespace: row[at + 1] as string,
    name: row[at + 2] as string,
  };
}

/** Reads what a primary ships: whole commits, on one moment of the database (../shipment.ts). */
import type { DatabaseSync } from "node:sqlite";
import type { KeyRing } from "../key-ring.ts";
import type { HeldRow, Place, Shipment } from "../replication.ts";
import { authenticate, endOf, future, gone, linkOf } from "../shipment.ts";
import type { ChangeSize } from "../shipment.ts";
import { changeColumns, encodedChange } from "./dump.ts";
import type { ChangeRow } from "./dump.ts";
import { rows } from "./sql.ts";
import { readStanding } from "./standing.ts";

export function readShipment(
  db: DatabaseSync,
  ring: KeyRing,
  after: Place,
  { limit, nowMs }: { readonly limit: number; readonly nowMs: number },
): Shipment {
  db.exec("BEGIN");
  try {
    const { standing, mark } = readStanding(db);
    const { at, epoch, lastToken } = standing;
    if (after.revision > at.revision || after.held > at.held) throw future(after, at);
    if (after.revision < mark) throw gone(after, mark);
    const end = findEnd(db, after.revision, limit, at.revision);
    const changes = changesBetween(db, after.revision, end);
    // Of the commits that begin at the end, those that are not in this shipment may have changes.
    const held = heldRows(db, after.held, end === at.revision ? end : end - 1);
    const to = { revision: end, held: held.at(-1)?.id ?? after.held };
    const link = readLink(db, after.revision);
    const shipped = [...changes, ...held];
    const seen = { lastToken, head: at.revision, atMs: nowMs };
    return authenticate(ring, { epoch, from: after, link, rows: shipped, to, ...seen });
  } finally {
    db.exec("COMMIT");
  }
}

function findEnd(db: DatabaseSync, after: number, limit: number, head: number): number {
  if (after === head) return head;
  const read = rows<[number, number, number]>(
    db,
    `SELECT revision, at_ms, ifnull(octet_length(document), 0) + ifnull(length(sealed), 0)
     FROM change WHERE revision > ? ORDER BY revision LIMIT ?`,
  );
  for (let most = limit + 1; ; most *= 2) {
    const sizes = read.all(after, most).map(([revision, atMs, bytes]): ChangeSize => {
      return { revision, atMs, bytes };
    });
    const end = endOf(sizes, limit, head);
    if (end !== undefined) return end;
  }
}

function changesBetween(db: DatabaseSync, after: number, end: number) {
  const read = rows<ChangeRow>(
    db,
    `SELECT ${changeColumns} FROM change c WHERE revision > ? AND revision <= ? ORDER BY revision`,
  );
  return read.all(after, end).map(encodedChange);
}

type HeldColumns = [
  ...[id: number, after: number, what: HeldRow["what"], scope: string, name: string],
  ...[kind: string, namespace: string, holder: string, amount: number | null],
];

function heldRows(db: DatabaseSync, afterId: number, end: number): readonly HeldRow[] {
  const read = rows<HeldColumns>(
    db,
    `SELECT id, after, what, scope, name, holder_kind, holder_namespace, holder_name, amount
     FROM held WHERE id > ? ORDER BY id`,
  );
  const found: HeldRow[] = [];
  for (const row of read.iterate(afterId)) {
    const [id, after, what, scope, name, kind, namespace, holder, amount] = row;
    if (after > end) break;
    const key = { kind, namespace, name: holder };
    found.push({ row: "held", id, after, what, scope, name, key, amount });
  }
  return found;
}

/** Null when the change is not in the log any more. */
export function readLink(db: DatabaseSync, revision: number): string | null {
  const row = rows<[type: ChangeRow[2], string, string, string, string, number]>(
    db,
    "SELECT type, kind, namespace, name, uid, at_ms FROM change WHERE revision = ?",
  ).get(revision);
  if (row === undefined) return null;
  const [type, kind, namespace, name, uid, atMs] = row;
  return linkOf({ revision, type, key: { kind, namespace, name }, uid, atMs });
}

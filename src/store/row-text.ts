/** Rows of a dump and of a shipment as JSON, in backups and between clusters. */
import type { DumpRow } from "./port.ts";
import type { HeldRow, Shipment, ShippedRow } from "./replication.ts";

export function encodeRow(row: DumpRow | HeldRow): object {
  if (row.row !== "change") return row;
  return {
    ...row,
    digest: row.digest.toString("hex"),
    document: row.document?.toString("utf8") ?? null,
    sealed: row.sealed?.toString("base64") ?? null,
  };
}

export function decodeRow(value: Record<string, unknown>): DumpRow {
  if (value["row"] !== "change") return value as DumpRow;
  const { digest, document, sealed } = value as Record<string, string | null>;
  return {
    ...(value as DumpRow & { row: "change" }),
    digest: Buffer.from(digest ?? "", "hex"),
    document: typeof document === "string" ? Buffer.from(document) : null,
    sealed: typeof sealed === "string" ? Buffer.from(sealed, "base64") : null,
  };
}

export function encodeShipment(shipment: Shipment): object {
  return { ...shipment, rows: shipment.rows.map((row) => encodeRow(row)) };
}

/** What is wrong with it, its authentication shows. */
export function decodeShipment(value: Record<string, unknown>): Shipment {
  const rows = value["rows"] as readonly Record<string, unknown>[];
  const decoded = rows.map((row) =>
    row["row"] === "held" ? (row as unknown as HeldRow) : (decodeRow(row) as ShippedRow),
  );
  return { ...(value as unknown as Shipment), rows: decoded };
}

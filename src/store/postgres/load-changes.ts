/** Inserts changes as they are stored: of a dump, or of a primary. */
import { loadedCause } from "../stored-cause.ts";
import type { DumpRow } from "../port.ts";
import { keyArrays } from "./batch.ts";
import { arrayLiteral, bytesArray, int2Array, int8Array, textArray } from "./binary-array.ts";
import { typeCode } from "./rows.ts";
import type { Row } from "./session.ts";

type ChangeRow = Extract<DumpRow, { row: "change" }>;
type Rows = (text: string, values?: readonly unknown[]) => Promise<readonly Row[]>;

export async function insertChanges(run: Rows, rows: readonly ChangeRow[]): Promise<void> {
  await run(
    `INSERT INTO change (revision, previous, at_ms, type, kind, namespace, name, uid, terms,
      digest, document, sealed, cause)
    SELECT w.revision, w.previous, w.at_ms, w.type, w.kind, w.namespace, w.name, w.uid,
      w.terms::text[], w.digest, w.document, w.sealed, w.cause
    FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::smallint[], $5::text[], $6::text[],
      $7::text[], $8::text[], $9::text[], $10::bytea[], $11::text[], $12::bytea[], $13::bytea[])
      AS w(revision, previous, at_ms, type, kind, namespace, name, uid, terms, digest, document,
        sealed, cause)`,
    [
      int8Array(rows.map(({ revision }) => revision)),
      int8Array(rows.map(({ previous }) => previous)),
      int8Array(rows.map(({ atMs }) => atMs)),
      int2Array(rows.map(({ type }) => typeCode(type))),
      ...keyArrays(rows.map(({ key }) => key)),
      textArray(rows.map(({ uid }) => uid)),
      textArray(rows.map(({ terms }) => arrayLiteral(terms))),
      bytesArray(
        rows.map(({ digest }) => digest),
        "bytea",
      ),
      bytesArray(
        rows.map(({ document }) => document),
        "text",
      ),
      bytesArray(
        rows.map(({ sealed }) => sealed),
        "bytea",
      ),
      bytesArray(
        rows.map(({ cause }) => loadedCause(cause)),
        "bytea",
      ),
    ],
  );
}

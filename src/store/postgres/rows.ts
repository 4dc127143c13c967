/** Rows of the log and of lists, turned into the port's records; sealed values are opened here. */
import assert from "node:assert/strict";
import type { ResourceKey } from "../../kernel/resource.ts";
import { decodeCause } from "../stored-cause.ts";
import type { KeyRing } from "../key-ring.ts";
import type { Change, StoredRecord } from "../port.ts";
import { openDocument, showDocument } from "../seal.ts";
import type { ShownDocument } from "../seal.ts";
import type { Row } from "./session.ts";

const types = ["created", "updated", "deleted"] as const;

/**
 * The columns of a change c whose replaced change is p. A deletion without a document shows that of
 * the change it replaced. Terms travel as JSON, which is the fastest to read here. Documents are
 * asked for as varchar, which costs nothing and is read as bytes row by row (session.ts).
 */
export const changeColumns = `c.revision, c.previous, c.at_ms, c.type, c.kind, c.namespace, c.name,
  c.uid, to_json(c.terms),
  CASE WHEN c.terms <> p.terms THEN to_json(p.terms) END,
  (CASE WHEN c.document IS NULL THEN p.document ELSE c.document END)::varchar,
  CASE WHEN c.document IS NULL THEN p.sealed ELSE c.sealed END, c.cause`;

/** Bytes of a change as they are read for a page; nothing is unpacked for it. */
export function sizeOf(alias: string): string {
  const sealed = `coalesce(octet_length(${alias}.sealed), 0)`;
  return `coalesce(octet_length(${alias}.document) + ${sealed}, 0)`;
}

/** As `sizeOf`, for what the change shows: a deletion may show the change it replaced. */
export function shownSizeOf(alias: string): string {
  return `CASE WHEN ${alias}.document IS NOT NULL THEN ${sizeOf(alias)} ELSE coalesce(
    (SELECT ${sizeOf("o")} FROM change o WHERE o.revision = ${alias}.previous), 0) END`;
}

export function changeFrom(ring: KeyRing, row: Row, at = 0): Change {
  const previousTerms = row[at + 9] as readonly string[] | null;
  const key: ResourceKey = {
    kind: row[at + 4] as string,
    namespace: row[at + 5] as string,
    name: row[at + 6] as string,
  };
  const uid = row[at + 7] as string;
  const cause = row[at + 12] as Buffer | null;
  return {
    revision: row[at] as number,
    type: changeType(row[at + 3] as number),
    key,
    uid,
    previous: (row[at + 1] as number | null) ?? undefined,
    atMs: row[at + 2] as number,
    ...(cause !== null && { cause: decodeCause(cause) }),
    ...shownFrom(ring, { key, uid }, row[at + 10], row[at + 11]),
    terms: row[at + 8] as readonly string[],
    ...(previousTerms === null ? {} : { previousTerms }),
  };
}

export function changeType(code: number): Change["type"] {
  const type = types[code - 1];
  assert(type !== undefined, "a change has a known type");
  return type;
}

export function typeCode(type: Change["type"]): number {
  return types.indexOf(type) + 1;
}

/** From the columns revision, uid, document, sealed. */
export function recordFrom(ring: KeyRing, key: ResourceKey, row: Row, at: number): StoredRecord {
  const uid = row[at + 1] as string;
  const body = bodyFrom(ring, { key, uid }, row[at + 2], row[at + 3]);
  return { key, uid, revision: row[at] as number, body };
}

/** As `recordFrom`, for where others are shown too: it may be `unopened`. */
export function shownRecord(ring: KeyRing, key: ResourceKey, row: Row, at: number): StoredRecord {
  const uid = row[at + 1] as string;
  const revision = row[at] as number;
  // Written out: nearly all have no envelope, and there are many.
  if (row[at + 3] === null) return { key, uid, revision, body: row[at + 2] as Buffer };
  return { key, uid, revision, ...shownFrom(ring, { key, uid }, row[at + 2], row[at + 3]) };
}

type Identity = Pick<StoredRecord, "key" | "uid">;

function bodyFrom(ring: KeyRing, identity: Identity, document: unknown, sealed: unknown): Buffer {
  const bytes = document as Buffer;
  if (sealed === null) return bytes;
  return openDocument(ring, identity, { document: bytes, sealed: sealed as Buffer });
}

function shownFrom(
  ring: KeyRing,
  identity: Identity,
  document: unknown,
  sealed: unknown,
): ShownDocument {
  const bytes = document as Buffer;
  if (sealed === null) return { body: bytes };
  return showDocument(ring, identity, { document: bytes, sealed: sealed as Buffer });
}

/**
 * Lists without selectors on the newest snapshot: what is asked for most. Every row is a record of
 * the page, so nothing is looked at in vain. The database packs many rows into one: a value that
 * comes over by itself costs as much as finding the row, and a thousand documents in strings of
 * their own keep the garbage collector busy for half of the time.
 */
import { limits } from "../../kernel/limits.ts";
import type { ListQuery, Page, StoredRecord } from "../port.ts";
import type { Reader } from "./reader.ts";
import type { Part } from "./range.ts";
import { keyRange } from "./range.ts";
import { bufferOf, documentSize, largeBytes, smallDocument, smallSealed } from "./sql.ts";

/** Rows are read in chunks: the first and the largest. */
const firstChunk = 4;
const largestChunk = 1_024;
/** The documents of a chunk share their memory: who keeps one of them keeps this much. */
const chunkBytes = 262_144;
const separator = "\u0000";

type PackedRow = readonly [
  ...[count: number, texts: Uint8Array | null, revisions: string | null, lengths: string | null],
  ...[sealed: number, documents: Uint8Array | null],
];
type PlainRow = readonly [
  ...[name: string, revision: number, uid: string, document: string | null],
  ...[sealed: Uint8Array | null, namespace: string, bytes: number],
];

/** A record of a chunk. A large document is not in it, and is read by itself if it is wanted. */
interface Listed {
  readonly record: StoredRecord;
  readonly bytes: number;
}

export function plainPage(
  reader: Reader,
  query: ListQuery & { readonly limit: number },
  revision: number,
): Page {
  const { limit } = query;
  const records: StoredRecord[] = [];
  let from = query.from;
  let bytes = 0;
  const isFollowing = from !== undefined;
  let size = Math.min(isFollowing ? fittingRows(reader, query, limit + 1) : firstChunk, limit + 1);
  if (size === 0) return { revision, records };
  for (;;) {
    const chunk = readChunk(reader, from === undefined ? query : { ...query, from }, size);
    for (const listed of chunk) {
      bytes += listed.bytes;
      const isFull = records.length >= limit || (bytes > limits.maxPageBytes && records.length > 0);
      if (isFull) return { revision, records, ...nextAfter(revision, records) };
      records.push(wholeRecord(reader, listed));
    }
    if (chunk.length < size) return { revision, records };
    from = nextAfter(revision, records).next;
    const most = Math.min(largestChunk, limit + 1 - records.length);
    size = fittingRows(reader, from === undefined ? query : { ...query, from }, most);
    if (size === 0) return { revision, records };
  }
}

function wholeRecord(reader: Reader, { record, bytes }: Listed): StoredRecord {
  if (bytes <= largeBytes) return record;
  const { key, uid, revision } = record;
  return reader.recordWithin(key, uid, revision, Number.MAX_SAFE_INTEGER) ?? record;
}

/** How many of the next documents fit into a chunk; sizes are known without their documents. */
function fittingRows(reader: Reader, query: ListQuery, most: number): number {
  const { sql, values } = sizesOf(query);
  const [text] = reader.statement<[string | null]>(sql).get(...values, most) ?? [];
  if (text === null || text === undefined) return 0;
  const sizes = JSON.parse(`[${text}]`) as readonly number[];
  let bytes = 0;
  const fitting = sizes.findIndex((size) => (bytes += size) > chunkBytes);
  return fitting < 0 ? sizes.length : Math.max(1, fitting);
}

export function sizesOf(query: ListQuery): Part {
  const { sql, values } = keyRange("r", query);
  return {
    sql: `SELECT group_concat(bytes) FROM (SELECT ${documentSize} AS bytes
      FROM resource r CROSS JOIN change c ON c.revision = r.revision
      WHERE r.kind = ?${sql} ORDER BY r.namespace, r.name LIMIT ?)`,
    values: [query.kind, ...values],
  };
}

function readChunk(reader: Reader, query: ListQuery, size: number): readonly Listed[] {
  const { kind } = query;
  const packed = packedRows(query);
  const row = reader.statement<PackedRow>(packed.sql).get(...packed.values, size);
  const [count = 0, texts, revisions, lengths, sealed = 0, documents] = row ?? [];
  if (sealed > 0) return readRows(reader, query, size);
  if (count === 0 || texts === null || texts === undefined) return [];
  const parts = bufferOf(texts).toString().split(separator);
  const each = parts.length / count;
  const revisionOf = JSON.parse(`[${revisions ?? ""}]`) as readonly number[];
  const lengthOf = JSON.parse(`[${lengths ?? ""}]`) as readonly number[];
  const bytes = bufferOf(documents ?? new Uint8Array());
  const chunk: Listed[] = [];
  let at = 0;
  for (let index = 0; index < count; index += 1) {
    const namespace = query.namespace ?? parts[index * each + 2] ?? "";
    const length = lengthOf[index] ?? 0;
    const end = length > largeBytes ? at : at + length;
    const record = {
      key: { kind, namespace, name: parts[index * each] ?? "" },
      uid: parts[index * each + 1] ?? "",
      revision: revisionOf[index] ?? 0,
      body: bytes.subarray(at, end),
    };
    chunk.push({ record, bytes: length });
    at = end;
  }
  return chunk;
}

const unread = Buffer.alloc(0);

/** Row by row, where there are envelopes to open. */
function readRows(reader: Reader, query: ListQuery, size: number): readonly Listed[] {
  const { sql, values } = plainRows(query);
  const rows = reader.statement<PlainRow>(`${sql} LIMIT ?`).all(...values, size);
  return rows.map(([name, revision, uid, document, sealed, namespace, bytes]) => {
    const key = { kind: query.kind, namespace, name };
    if (document === null) return { record: { key, uid, revision, body: unread }, bytes };
    const record = reader.shown(key, uid, revision, document, sealed);
    return { record, bytes };
  });
}

/**
 * As one row: how many, texts and numbers of each, how many are sealed, and all documents. The
 * texts are bytes, because Node.js 22 ends a text of the database at its first NUL.
 */
export function packedRows(query: ListQuery): Part {
  const { sql, values } = plainRows(query);
  const namespace = query.namespace === undefined ? " || char(0) || namespace" : "";
  return {
    sql: `SELECT count(*), CAST(group_concat(name || char(0) || uid${namespace}, char(0)) AS BLOB),
        group_concat(revision), group_concat(bytes), count(sealed),
        CAST(group_concat(document, '') AS BLOB)
      FROM (${sql} LIMIT ?)`,
    values,
  };
}

export function plainRows(query: ListQuery): Part {
  const { sql, values } = keyRange("r", query);
  return {
    sql: `SELECT r.name, r.revision, r.uid, ${smallDocument} AS document, ${smallSealed} AS sealed,
        r.namespace, ${documentSize} AS bytes
      FROM resource r CROSS JOIN change c ON c.revision = r.revision
      WHERE r.kind = ?${sql} ORDER BY r.namespace, r.name`,
    values: [query.kind, ...values],
  };
}

function nextAfter(revision: number, records: readonly StoredRecord[]): Pick<Page, "next"> {
  const last = records.at(-1)?.key;
  if (last === undefined) return {};
  return { next: { revision, namespace: last.namespace, name: last.name } };
}

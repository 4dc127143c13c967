/**
 * The little that is added to node:sqlite: statements with the type of their rows, and its errors
 * as ours. Rows come back as arrays, which is the cheapest form, and the type is the promise of the
 * statement's author; STRICT tables keep it.
 */
import type { DatabaseSync } from "node:sqlite";
import { SetpointError, isSetpointError } from "../../kernel/errors.ts";
import type { ErrorCode } from "../../kernel/errors.ts";
import { whyNotReadable } from "../file-rights.ts";

export type Value = string | number | Uint8Array | null;

export interface Rows<Row> {
  get(...values: Value[]): Row | undefined;
  all(...values: Value[]): Row[];
  iterate(...values: Value[]): IterableIterator<Row>;
}

export interface Action {
  run(...values: Value[]): { readonly changes: number | bigint };
}

export function rows<Row extends readonly (Value | undefined)[]>(
  db: DatabaseSync,
  sql: string,
): Rows<Row> {
  const statement = db.prepare(sql);
  statement.setReturnArrays(true);
  return statement as unknown as Rows<Row>;
}

export function action(db: DatabaseSync, sql: string): Action {
  return db.prepare(sql);
}

/** node:sqlite hands out Uint8Arrays; everything above works with Buffers. No bytes are copied. */
export function bufferOf(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** From this size on, a document is read as a blob: a text costs five times as much. */
export const largeBytes = 65_536;

/** The bytes of a stored document, which the database knows without reading it. */
export const documentSize = "(octet_length(c.document) + ifnull(octet_length(c.sealed), 0))";
/** Columns of lists: null for a large document, which is read by itself if it is wanted. */
export const smallDocument = `iif(${documentSize} > ${largeBytes}, NULL, c.document)`;
export const smallSealed = `iif(${documentSize} > ${largeBytes}, NULL, c.sealed)`;

/** A text as the column of a query: see `bytesOf`. */
export function textColumn(column: string): string {
  return `iif(octet_length(${column}) > ${largeBytes}, CAST(${column} AS BLOB), ${column})`;
}

/** What `textColumn` reads. A small text and its bytes cost half of what a blob costs. */
export type TextValue = string | Uint8Array;

export function bytesOf(text: TextValue): Buffer {
  return typeof text === "string" ? Buffer.from(text) : bufferOf(text);
}

const cannotOpen = 14;

const primaryCodes: ReadonlyMap<number, readonly [ErrorCode, string]> = new Map([
  [5, ["store.unavailable", "the database is locked by another program"]],
  [6, ["store.unavailable", "the database is locked by another program"]],
  [8, ["store.read_only", "the database cannot be written"]],
  [10, ["store.unavailable", "the disk under the database failed"]],
  [11, ["store.corrupt", "the database is damaged"]],
  [13, ["store.full", "the disk under the database is full"]],
  [cannotOpen, ["store.unavailable", "the database cannot be opened"]],
  [26, ["store.corrupt", "the file is not a database, or its beginning is damaged"]],
] as const);

/** SQLite's own error number, without its extension; undefined for other errors. */
export function sqliteCode(error: unknown): number | undefined {
  if (!(error instanceof Error) || !("errcode" in error)) return undefined;
  return typeof error.errcode === "number" ? error.errcode & 0xff : undefined;
}

/** What a caller may be told. What is nobody's fault but ours is `internal`, with its cause. */
export function storeError(error: unknown, path: string): SetpointError {
  if (isSetpointError(error)) return error;
  if (error instanceof SyntaxError) {
    const message = `a stored text is damaged (${path})`;
    return new SetpointError("store.corrupt", message, { cause: error, details: { path } });
  }
  const refusal = sqliteCode(error) === cannotOpen ? refusedFile(path) : undefined;
  if (refusal !== undefined) return refusal;
  const known = primaryCodes.get(sqliteCode(error) ?? -1);
  if (known === undefined) {
    const message = "the embedded store failed in an unexpected way";
    return new SetpointError("internal", message, { cause: error, details: { path } });
  }
  const [code, what] = known;
  const reason = error instanceof Error ? error.message : String(error);
  // What the catalogue advises is for a database with a primary.
  const suggestion =
    code === "store.read_only"
      ? "mount the disk read-write, or make this user the owner of the files of the store"
      : undefined;
  const details = { path, reason };
  return new SetpointError(code, `${what} (${path})`, { cause: error, details, suggestion });
}

/** SQLite only says that it cannot open; the log and its index are files of their own. */
function refusedFile(path: string): SetpointError | undefined {
  const ends = ["", "-wal", "-shm"];
  return ends.map((end) => whyNotReadable(`${path}${end}`)).find((found) => found !== undefined);
}

/**
 * A statement that reads `c.cause`, for this file. A file that was opened for reading only is not
 * migrated, so it may be one of a release that recorded no causes.
 */
export function causeOrNull(db: DatabaseSync, sql: string): string {
  const column = "SELECT 1 FROM pragma_table_info('change') WHERE name = 'cause'";
  return rows<[number]>(db, column).get() === undefined ? sql.replace("c.cause", "NULL") : sql;
}

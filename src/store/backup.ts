/**
 * Backups: one file that holds a whole store, the same for both engines, so that a backup of an
 * embedded store can be restored into PostgreSQL and the other way round.
 *
 * Form: zstd over lines of JSON: a header, the rows of `Store.dump` in their order, and a footer
 * with the number of rows and the SHA-256 of every line before it. A file without a footer that
 * agrees is refused whole, before anything is written to the store. Sealed values stay sealed: the
 * key ring is kept elsewhere, and a stolen backup tells no secret.
 *
 * A restore goes back in time, and revisions that were given out since the backup must not be given
 * out again for something else (P3): a watcher that saw the first 5,000 would never hear of the
 * second. So the restored store begins a good distance further on, with its history compacted: old
 * cursors get `history.gone` and list again.
 */
import { createHash } from "node:crypto";
import { createReadStream, createWriteStream } from "node:fs";
import { open, rename, rm, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { pipeline } from "node:stream/promises";
import { createZstdCompress, createZstdDecompress } from "node:zlib";
import { timeText } from "../kernel/clock.ts";
import { SetpointError, isSetpointError } from "../kernel/errors.ts";
import { forbidden, isRefusal } from "./file-rights.ts";
import { retiredKey, retiredKind } from "./key-care.ts";
import type { KeyRing } from "./key-ring.ts";
import type { DumpRow, Store } from "./port.ts";
import { RevisionSet } from "./revision-set.ts";
import { decodeRow, encodeRow } from "./row-text.ts";
import { revisionLeap, tokenLeap } from "./shipment.ts";
import { envelopeKeyId, isErased, openDocument } from "./seal.ts";
import { parseExact } from "../kernel/int64.ts";

const formatVersion = 1;
const zstdMagic = Buffer.from([0x28, 0xb5, 0x2f, 0xfd]);

export interface BackupSummary {
  readonly head: number;
  readonly rows: number;
  readonly bytes: number;
  readonly takenAt: string;
  /** The keys that its sealed values need. */
  readonly keyIds: readonly string[];
}

/** Writes the store to `path`, reads the file back to prove it, and only then gives it its name. */
export async function writeBackup(
  store: Store,
  path: string,
  nowMs: number,
): Promise<BackupSummary> {
  await checkTarget(path);
  const partial = `${path}.partial`;
  try {
    const lines = backupLines(store, timeText(nowMs));
    await pipeline(lines, createZstdCompress(), createWriteStream(partial, { mode: 0o600 }));
    await flush(partial);
    const summary = await readSummary(partial);
    await rename(partial, path);
    await flush(dirname(path));
    return summary;
  } catch (error) {
    await rm(partial, { force: true });
    throw notWritten(path, error);
  }
}

/**
 * Fills an empty store from a backup. The file is proven whole, and the key ring to have its keys,
 * before the first row is loaded; the load itself is all or nothing.
 */
export async function restoreBackup(
  store: Store,
  path: string,
  ring: KeyRing,
): Promise<BackupSummary> {
  const summary = await readSummary(path);
  const missing = summary.keyIds.filter((id) => ring.find(id) === undefined);
  if (missing.length > 0) {
    throw new SetpointError("secret.key_missing", `${path} has secrets that need another key`, {
      details: { keyIds: missing },
      suggestion: "name the key ring of the store that was backed up with --keys",
    });
  }
  await store.load(withoutHistory(path, await replacedRevisions(path, ring)));
  return summary;
}

/**
 * What was replaced, deletions included: all that compaction to the head would remove. On the way
 * each key opens the first value that it sealed, and the one that would seal must not be retired.
 */
async function replacedRevisions(path: string, ring: KeyRing): Promise<RevisionSet> {
  const replaced = new RevisionSet();
  const unproven = new Set(ring.ids());
  for await (const row of backupRows(path)) {
    if (row.row !== "change") continue;
    if (row.previous !== null) replaced.add(row.previous);
    if (row.type === "deleted") replaced.add(row.revision);
    const { sealed } = row;
    if (sealed !== null && unproven.delete(envelopeKeyId(sealed))) {
      openDocument(ring, row, { document: sealed, sealed });
    }
    const { kind, name } = row.key;
    if (kind === retiredKind && name === ring.active().id) throw retiredKey([name]);
  }
  return replaced;
}

async function* withoutHistory(path: string, replaced: RevisionSet): AsyncIterable<DumpRow> {
  for await (const row of backupRows(path)) {
    if (row.row === "meta") {
      const head = row.head === 0 ? 0 : row.head + revisionLeap;
      const lastToken = row.head === 0 ? row.lastToken : row.lastToken + tokenLeap;
      yield { ...row, head, compacted: head, lastToken };
    } else if (row.row !== "change" || !replaced.has(row.revision)) yield row;
  }
}

/** Reads the whole file and checks it against its footer. */
export async function readSummary(path: string): Promise<BackupSummary> {
  let head = 0;
  let takenAt = "";
  let rows = 0;
  const keyIds = new Set<string>();
  for await (const line of checkedLines(path)) {
    if (line.kind === "header") {
      takenAt = line.takenAt;
      continue;
    }
    rows += 1;
    const { row } = line;
    if (row.row === "meta") head = row.head;
    if (row.row === "change" && row.sealed !== null && !isErased(row.sealed)) {
      keyIds.add(envelopeKeyId(row.sealed));
    }
  }
  return { head, rows, takenAt, bytes: (await stat(path)).size, keyIds: [...keyIds] };
}

/** A slip of the pen must not put a backup in the place of a database or of a key ring. */
async function checkTarget(path: string): Promise<void> {
  const found = await stat(path).catch(() => undefined);
  if (found === undefined) {
    const folder = await stat(dirname(path)).catch(() => undefined);
    if (folder?.isDirectory() === true) return;
    throw new SetpointError("config.invalid", `the folder ${dirname(path)} does not exist`, {
      suggestion: "create the folder, or write the backup to another folder",
    });
  }
  const isBackup = found.isFile() && (await isBackupFile(path));
  if (isBackup) return;
  const isTorn = found.isFile() && (await beginsLikeBackup(path));
  const what = isTorn ? "is empty or an incomplete backup" : "exists and is not a backup";
  throw new SetpointError("config.invalid", `${path} ${what}`, {
    suggestion: isTorn
      ? "move or delete it, or choose another name; only a complete backup is replaced"
      : "choose another name; only an older backup is replaced",
  });
}

/** Whether the file has no bytes, or its first ones are those of zstd. */
async function beginsLikeBackup(path: string): Promise<boolean> {
  await using file = await open(path, "r");
  const first = Buffer.alloc(zstdMagic.length);
  const { bytesRead } = await file.read(first, 0, first.length, 0);
  return bytesRead === 0 || first.equals(zstdMagic);
}

async function isBackupFile(path: string): Promise<boolean> {
  try {
    for await (const line of rawLines(path)) return line.startsWith('{"setpointBackup":');
    return false;
  } catch (error) {
    if (isSetpointError(error, "backup.invalid")) return false;
    throw error;
  }
}

async function* backupRows(path: string): AsyncIterable<DumpRow> {
  for await (const line of checkedLines(path)) if (line.kind === "row") yield line.row;
}

async function* backupLines(store: Store, takenAt: string): AsyncIterable<string> {
  const hash = createHash("sha256");
  const emit = (value: object): string => {
    const line = `${JSON.stringify(value)}\n`;
    hash.update(line);
    return line;
  };
  yield emit({ setpointBackup: formatVersion, takenAt, from: store.engine });
  let rows = 0;
  for await (const row of store.dump()) {
    rows += 1;
    yield emit(encodeRow(row));
  }
  yield `${JSON.stringify({ rows, sha256: hash.digest("hex") })}\n`;
}

type BackupLine =
  | { readonly kind: "header"; readonly takenAt: string }
  | { readonly kind: "row"; readonly row: DumpRow };

async function* checkedLines(path: string): AsyncIterable<BackupLine> {
  const hash = createHash("sha256");
  let rows = 0;
  let footer: { rows?: unknown; sha256?: unknown } | undefined;
  let number = 0;
  for await (const text of rawLines(path)) {
    number += 1;
    if (footer !== undefined) throw broken(path, "there is text after the footer");
    const value = parseLine(path, number, text);
    if (number === 1) {
      checkHeader(path, value);
      yield { kind: "header", takenAt: String(value["takenAt"]) };
    } else if ("sha256" in value) {
      footer = value;
      continue;
    } else {
      rows += 1;
      yield { kind: "row", row: decodeRow(value) };
    }
    hash.update(`${text}\n`);
  }
  if (footer === undefined) throw broken(path, "it ends before its footer");
  if (footer.rows !== rows || footer.sha256 !== hash.digest("hex")) {
    throw broken(path, "its content does not match its footer");
  }
}

/** Decompressed lines; a torn or foreign file fails as `backup.invalid`, a missing one by name. */
async function* rawLines(path: string): AsyncIterable<string> {
  const source = createReadStream(path);
  const text = source.pipe(createZstdDecompress());
  source.on("error", (error) => text.destroy(error));
  try {
    // Not by readline, which would end in silence when the stream fails after its last line.
    let rest = "";
    for await (const chunk of text.setEncoding("utf8")) {
      const lines = (rest + String(chunk)).split("\n");
      rest = lines.pop() ?? "";
      yield* lines;
    }
    if (rest !== "") yield rest;
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code === "ENOENT") throw broken(path, "it does not exist");
    if (isRefusal(cause)) throw forbidden(path, cause);
    throw broken(
      path,
      code?.startsWith("ZSTD") === true ? "it is damaged or not a backup" : "it cannot be read",
      cause,
    );
  } finally {
    source.destroy();
    text.destroy();
  }
}

function checkHeader(path: string, value: Record<string, unknown>): void {
  const version = value["setpointBackup"];
  if (typeof version !== "number") throw broken(path, "it is not a Setpoint backup");
  if (version > formatVersion) {
    throw broken(path, `its format ${version} is newer than this program, which reads 1`);
  }
}

function parseLine(path: string, number: number, text: string): Record<string, unknown> {
  try {
    return parseExact(text) as Record<string, unknown>;
  } catch (cause) {
    throw broken(path, `line ${number} is not JSON`, cause);
  }
}

/** On disk for certain, and not only in the page cache. */
async function flush(path: string): Promise<void> {
  const handle = await open(path, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

const writeTroubles: Readonly<Record<string, string>> = {
  ENOSPC: "its disk is full",
  EDQUOT: "the disk quota of this user is used up",
  EROFS: "its disk is mounted read-only",
  EACCES: "this user may not write there",
  EPERM: "this user may not write there",
};

/** The store has errors of its own; what is left is about the file. */
function notWritten(path: string, error: unknown): unknown {
  const { code } = error as NodeJS.ErrnoException;
  if (isSetpointError(error) || code === undefined) return error;
  const why = writeTroubles[code] ?? "its disk failed";
  const message = `the backup ${path} cannot be written: ${why}`;
  return new SetpointError("backup.not_written", message, { cause: error, details: { path } });
}

function broken(path: string, why: string, cause?: unknown): SetpointError {
  return new SetpointError("backup.invalid", `${path} is not a usable backup: ${why}`, { cause });
}

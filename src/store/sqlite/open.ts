/**
 * Opens the files of a store: takes the lock, brings the schema up to date, connects the reader and
 * starts the engine. Whatever was taken is given back when a later step fails.
 */
import { lstatSync, readlinkSync, realpathSync, statSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { systemClock } from "../../kernel/clock.ts";
import type { Clock } from "../../kernel/clock.ts";
import { SetpointError, isSetpointError } from "../../kernel/errors.ts";
import { forbidden, isRefusal } from "../file-rights.ts";
import { keyRing } from "../key-ring.ts";
import type { KeyRing, SealKey } from "../key-ring.ts";
import { openDocument } from "../seal.ts";
import { databaseClock } from "./clock.ts";
import type { DatabaseClock } from "./clock.ts";
import { freeClaims } from "./due.ts";
import { inlineEngine, readOnlyEngine, threadEngine } from "./engine.ts";
import type { Engine } from "./engine.ts";
import { lockFile } from "./file-lock.ts";
import { Reader } from "./reader.ts";
import { checkExists, checkFile, openConnection, prepareFile } from "./schema.ts";
import { walLimits } from "./wal-watch.ts";
import type { WalLimits } from "./wal-watch.ts";

export interface SqliteOptions {
  /** A file, or ":memory:". */
  readonly path: string;
  /** The keys that seal secrets; the active one first. */
  readonly keys: KeyRing | readonly SealKey[];
  /** Reads beside the process that writes; every write is refused. */
  readonly readOnly?: boolean;
  readonly maxQueuedWrites?: number;
  /**
   * Ends the claims of whoever had the store before. Only for who knows that claims are made by the
   * process that has the store open: the lock proves that it is gone.
   */
  readonly freesClaims?: boolean;
  /** Everything on the caller's thread, at once: for simulations. Always so for ":memory:". */
  readonly inline?: boolean;
  /** The clock of an inline store; threads read the system's. */
  readonly clock?: Clock;
  /** Only for tests. */
  readonly testing?: { readonly aheadMs?: number; readonly walLimits?: WalLimits };
}

export interface OpenedFiles {
  readonly path: string;
  readonly ring: KeyRing;
  readonly clock: DatabaseClock;
  readonly reader: Reader;
  readonly engine: Engine;
  readonly schemaVersion: number;
  readonly isReadOnly: boolean;
  /** Reader and writer share one connection. */
  readonly isInline: boolean;
  /** Closes the reader and gives up the lock; the engine is closed before. */
  release(): void;
}

export function openFiles(options: SqliteOptions): OpenedFiles {
  const { keys, testing = {} } = options;
  const path = options.path === ":memory:" ? options.path : realPath(options.path);
  const ring = "active" in keys ? keys : keyRing(keys);
  const aheadMs = testing.aheadMs ?? 0;
  const clock = databaseClock(options.clock ?? systemClock);
  clock.advanceMs(aheadMs);
  const shared = { path, clock, walLimits: testing.walLimits ?? walLimits };
  const { freesClaims = false } = options;
  const context: Context = { path, ring, clock, shared, aheadMs, freesClaims };
  if (options.readOnly === true) return openReadOnly(context);
  if (options.inline === true || path === ":memory:") return openInline(context);
  return openThreads(context);
}

interface Context extends Pick<OpenedFiles, "path" | "ring" | "clock"> {
  readonly shared: Parameters<typeof threadEngine>[0];
  readonly aheadMs: number;
  readonly freesClaims: boolean;
}

function openThreads(context: Context): OpenedFiles {
  const { path, ring, clock, shared, aheadMs, freesClaims } = context;
  using undo = new DisposableStack();
  const lock = undo.adopt(lockFile(path), (taken) => taken.release());
  checkOneName(path);
  using setup = openConnection(path, "writer");
  const schemaVersion = prepareFile(setup, path, clock);
  if (freesClaims) freeClaims(setup, path, clock.nowMs());
  // Opened before the other is closed, so that the log is not folded up in between.
  const db = undo.use(openConnection(path, "reader"));
  const reader = readerOn(db, ring);
  const engine = threadEngine(shared, db, aheadMs);
  undo.move();
  const release = (): void => {
    db.close();
    lock.release();
  };
  const fixed = { schemaVersion, isReadOnly: false, isInline: false };
  return { path, ring, clock, reader, engine, ...fixed, release };
}

function openInline({ path, ring, clock, shared, freesClaims }: Context): OpenedFiles {
  using undo = new DisposableStack();
  const lock = path === ":memory:" ? undefined : lockFile(path);
  undo.defer(() => lock?.release());
  checkOneName(path);
  const db = undo.use(openConnection(path, "writer"));
  const schemaVersion = prepareFile(db, path, clock);
  if (freesClaims) freeClaims(db, path, clock.nowMs());
  const engine = inlineEngine(shared, db);
  const reader = readerOn(db, ring);
  undo.move();
  const release = (): void => lock?.release();
  const fixed = { schemaVersion, isReadOnly: false, isInline: true };
  return { path, ring, clock, reader, engine, ...fixed, release };
}

function openReadOnly({ path, ring, clock, shared }: Context): OpenedFiles {
  checkExists(path);
  using undo = new DisposableStack();
  const db = undo.use(openConnection(path, "reader"));
  const schemaVersion = checkFile(db, path);
  const engine = readOnlyEngine(shared, db);
  const reader = readerOn(db, ring);
  undo.move();
  const fixed = { schemaVersion, isReadOnly: true, isInline: false };
  return { path, ring, clock, reader, engine, ...fixed, release: () => db.close() };
}

function readerOn(db: Reader["db"], ring: KeyRing): Reader {
  return new Reader(db, (identity, document, sealed) =>
    openDocument(ring, identity, { document, sealed }),
  );
}

/**
 * A hard link is a name that cannot be told from the first one, and the lock and the log go by the
 * name: two processes would each write to the file and not see what the other has in its log.
 */
function checkOneName(path: string): void {
  const nlink = statSync(path, { throwIfNoEntry: false })?.nlink ?? 1;
  if (nlink <= 1) return;
  throw new SetpointError("store.linked", `${path} is a file with ${nlink} names (hard links)`, {
    details: { path, names: nlink },
    suggestion:
      "remove the other names (find them with `find -samefile`), or replace the file by a copy " +
      "while no process has it open",
  });
}

/** One name for one file, whatever links lead to it: the lock is beside the real one. */
function realPath(path: string): string {
  const full = resolve(path);
  const folder = dirname(full);
  try {
    if (statSync(full, { throwIfNoEntry: false }) !== undefined) return realpathSync(full);
    const isLink = lstatSync(full, { throwIfNoEntry: false })?.isSymbolicLink() === true;
    // It leads to where the file is to be, or to a disk that is not mounted.
    if (isLink) return realPath(resolve(folder, readlinkSync(full)));
    return join(realpathSync(folder), basename(full));
  } catch (cause) {
    if (isSetpointError(cause)) throw cause;
    if (isRefusal(cause)) throw forbidden(full, cause);
    const isMissing = ["ENOENT", "ENOTDIR"].includes((cause as NodeJS.ErrnoException).code ?? "");
    const [code, message] = isMissing
      ? (["store.missing", `there is no database at ${full}; its folder does not exist`] as const)
      : (["store.unavailable", `the folder ${folder} cannot be opened`] as const);
    throw new SetpointError(code, message, { cause, details: { path: full } });
  }
}

/**
 * Opens database files. Guarantees that a connection handed out is on a Setpoint database whose
 * schema this version can work with, in WAL mode, with every commit flushed to the disk.
 *
 * Each migration is one transaction. A migration says from which version of the schema on its
 * result can still be used (`compatible_from`), so that a roll-back of the program is possible
 * whenever the newer schema only added things.
 */
import { readFileSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { Clock } from "../../kernel/clock.ts";
import { timeText } from "../../kernel/clock.ts";
import { SetpointError } from "../../kernel/errors.ts";
import { action, rows, storeError } from "./sql.ts";
import { walLimits } from "./wal-watch.ts";

/** "STPT": written into the header of the file, where `file` and the sqlite3 shell show it. */
const applicationId = 0x53545054;
const pageBytes = 4_096;
export const busyTimeoutMs = 5_000;

export interface Migration {
  readonly version: number;
  readonly compatibleFrom: number;
  readonly name: string;
  readonly sql: string;
}

/**
 * Memory for pages, at most. The writer looks for keys in no order: the index of a million takes
 * 100 MiB, and what is not in memory has to be read again for nearly every write.
 */
const cacheKib = { writer: 131_072, background: 65_536, reader: 32_768 } as const;

/** A connection with the settings every use of the file needs. */
export function openConnection(path: string, role: keyof typeof cacheKib): DatabaseSync {
  const readOnly = role === "reader";
  try {
    const db = new DatabaseSync(path, { readOnly, timeout: busyTimeoutMs });
    db.exec("PRAGMA synchronous = FULL; PRAGMA foreign_keys = OFF; PRAGMA trusted_schema = OFF");
    // Checkpoints have a rhythm of their own: see wal-watch.ts.
    if (!readOnly) {
      // After a long reader the log may be long: it is cut when it begins anew, to well below the
      // cap, since its size tells whether it has grown.
      const kept = walLimits.capBytes / 2;
      db.exec(`PRAGMA wal_autocheckpoint = 0; PRAGMA journal_size_limit = ${kept}`);
    }
    db.exec(`PRAGMA cache_size = -${cacheKib[role]}; PRAGMA temp_store = MEMORY`);
    return db;
  } catch (error) {
    throw storeError(error, path);
  }
}

/** Makes the file what this version works with; returns the version of its schema. */
export function prepareFile(db: DatabaseSync, path: string, clock: Clock): number {
  try {
    const found = checkIdentity(db, path);
    if (found === "new") db.exec(`PRAGMA page_size = ${pageBytes}`);
    db.exec("PRAGMA journal_mode = WAL");
    if (found === "new") initialise(db);
    return migrate(db, path, readMigrations(), clock);
  } catch (error) {
    throw storeError(error, path);
  }
}

/** For connections that may not change anything. */
export function checkFile(db: DatabaseSync, path: string): number {
  try {
    if (checkIdentity(db, path) === "new") throw missing(path, `${path} is an empty database`);
    return checkVersion(db, path, readMigrations());
  } catch (error) {
    throw storeError(error, path);
  }
}

/** Looked at before SQLite does: a log beside an empty file is of no use to it. */
export function checkExists(path: string): void {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) throw missing(path, `there is no database at ${path}`);
  if (found.isFile() && found.size === 0) throw missing(path, `${path} is an empty file`);
}

function missing(path: string, message: string): SetpointError {
  return new SetpointError("store.missing", message, { details: { path } });
}

function readMigrations(): readonly Migration[] {
  const folder = join(import.meta.dirname, "migrations");
  const files = readdirSync(folder).filter((file) => file.endsWith(".sql"));
  return files.sort().map((file) => {
    const sql = readFileSync(join(folder, file), "utf8");
    const compatibleFrom = Number(/^-- compatible_from: (\d+)$/m.exec(sql)?.[1]);
    return { version: Number.parseInt(file, 10), compatibleFrom, name: file.slice(0, -4), sql };
  });
}

function checkIdentity(db: DatabaseSync, path: string): "new" | "ours" {
  const id = pragma(db, "application_id");
  if (id === applicationId) return "ours";
  const objects = rows<[number]>(db, "SELECT count(*) FROM sqlite_schema").get()?.[0];
  if (id === 0 && objects === 0) return "new";
  throw new SetpointError("config.invalid", `${path} is the database of another application`, {
    details: { path, applicationId: id },
    suggestion: "use a separate file for Setpoint",
  });
}

function initialise(db: DatabaseSync): void {
  db.exec("BEGIN IMMEDIATE");
  db.exec(`
    PRAGMA application_id = ${applicationId};
    CREATE TABLE setpoint_schema (
      version         INTEGER PRIMARY KEY,
      compatible_from INTEGER NOT NULL,
      name            TEXT NOT NULL,
      applied_at      TEXT NOT NULL
    ) STRICT`);
  db.exec("COMMIT");
}

/** The version of the file, or an error when this program is too old for it. */
function checkVersion(db: DatabaseSync, path: string, migrations: readonly Migration[]): number {
  const ours = migrations.at(-1)?.version ?? 0;
  // Every migration counts, not only the newest: a later one may go together with much older ones.
  const newest = "coalesce(max(version), 0), coalesce(max(compatible_from), 0)";
  const [version = 0, compatibleFrom = 0] =
    rows<[number, number]>(db, `SELECT ${newest} FROM setpoint_schema`).get() ?? [];
  if (version > ours && compatibleFrom > ours) {
    throw new SetpointError(
      "store.schema_too_new",
      `${path} has schema ${version}, which needs a release with schema ${compatibleFrom} ` +
        `or later; this release has ${ours}`,
      { details: { path, version, compatibleFrom, known: ours } },
    );
  }
  return version;
}

function migrate(
  db: DatabaseSync,
  path: string,
  migrations: readonly Migration[],
  clock: Clock,
): number {
  let version = checkVersion(db, path, migrations);
  const record = action(db, "INSERT INTO setpoint_schema VALUES (?, ?, ?, ?)");
  for (const next of migrations.filter((migration) => migration.version > version)) {
    db.exec("BEGIN IMMEDIATE");
    try {
      db.exec(next.sql);
      record.run(next.version, next.compatibleFrom, next.name, timeText(clock.nowMs()));
      db.exec("COMMIT");
    } catch (error) {
      if (db.isTransaction) db.exec("ROLLBACK");
      throw error;
    }
    version = next.version;
  }
  return version;
}

export function pragma(db: DatabaseSync, name: string): number | string {
  return rows<[number | string]>(db, `PRAGMA ${name}`).get()?.[0] ?? "";
}

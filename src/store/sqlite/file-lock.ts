/**
 * One process writes an embedded store. The lock is an exclusive transaction on a tiny database
 * beside it: the operating system ends it with the process, however that dies, so a lock is never
 * stale. Nothing else may open that file, since closing any handle of it would drop the lock.
 *
 * A transaction that writes nothing is no lock where the file can only be read, so it writes.
 *
 * So must nobody delete it while a store is open: the next process would make and lock another one,
 * and two writers would each go by the head they remember. The database file itself cannot be
 * locked instead, since readers in other processes need it.
 */
import { DatabaseSync } from "node:sqlite";
import { SetpointError } from "../../kernel/errors.ts";
import { sqliteCode, storeError } from "./sql.ts";

export interface FileLock {
  release(): void;
}

const busy = 5;

export function lockFile(path: string): FileLock {
  const lockPath = `${path}.lock`;
  let db: DatabaseSync | undefined;
  try {
    db = new DatabaseSync(lockPath, { timeout: 0 });
    db.exec("PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE; PRAGMA user_version = 1");
  } catch (error) {
    db?.close();
    if (sqliteCode(error) !== busy) throw storeError(error, lockPath);
    throw new SetpointError("store.locked", `another process has ${path} open`, {
      cause: error,
      details: { path },
    });
  }
  const held = db;
  return { release: () => held.close() };
}

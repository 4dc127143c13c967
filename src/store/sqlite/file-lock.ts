/**
 * One process writes an embedded store. The lock is an exclusive transaction on a tiny database
 * beside it: the operating system ends it with the process, however that dies, so a lock is never
 * stale. Nothing else may open that file, since closing any handle of it would drop the lock.
 *
 * A transaction that writes nothing is no lock where the file can only be read, so it writes.
 *
 * So must nobody delete it while a store is open: the next process would make and lock another one,
 * and two writers would each go by the head they remember. A file with two names would have two
 * locks, so it is not opened (`checkOneName` in open.ts). The database file itself cannot be
 * locked instead, since readers in other processes need it.
 */
import { accessSync, closeSync, constants, existsSync, openSync } from "node:fs";
import { readFileSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { SetpointError } from "../../kernel/errors.ts";
import { giveToOwnerOf, isSuperuser } from "../file-rights.ts";
import { sqliteCode, storeError } from "./sql.ts";

export interface FileLock {
  release(): void;
}

const busy = 5;
const readOnly = 8;
const cannotOpen = 14;

export function lockFile(path: string): FileLock {
  const lockPath = `${path}.lock`;
  if (isSuperuser()) makeForOwner(lockPath, path);
  let db: DatabaseSync | undefined;
  try {
    db = new DatabaseSync(lockPath, { timeout: 0 });
    db.exec("PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE; PRAGMA user_version = 1");
  } catch (error) {
    db?.close();
    throw lockError(error, path, lockPath);
  }
  const held = db;
  return { release: () => held.close() };
}

/**
 * SQLite gives the owner of the database its log, but not this file, a database of its own.
 * Closed before anybody has a lock on it, since it is made here.
 */
function makeForOwner(lockPath: string, path: string): void {
  try {
    const file = openSync(lockPath, "ax", 0o644);
    giveToOwnerOf(existsSync(path) ? path : dirname(path), file);
    closeSync(file);
  } catch {
    // It is there, or SQLite says what is wrong.
  }
}

function lockError(cause: unknown, path: string, lockPath: string): SetpointError {
  const code = sqliteCode(cause);
  if (code === busy) {
    const pid = holderOf(lockPath);
    const who = pid === undefined ? "another process" : `another process (${pid})`;
    const details = pid === undefined ? { path } : { path, pid };
    return new SetpointError("store.locked", `${who} has ${path} open`, { cause, details });
  }
  const why = code === readOnly || code === cannotOpen ? whyNotWritable(lockPath) : undefined;
  if (why === undefined) return storeError(cause, lockPath);
  return new SetpointError("store.read_only", why, {
    cause,
    details: { path: lockPath },
    suggestion:
      "mount the disk read-write, or make this user the owner of the folder and its files",
  });
}

/** What to look at: the folder comes first, since its rights and its mount decide for all in it. */
function whyNotWritable(path: string): string | undefined {
  const folder = dirname(path);
  for (const [what, place] of [
    ["folder", folder],
    ["file", path],
  ] as const) {
    try {
      accessSync(place, constants.W_OK);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === "EROFS") return `the ${what} ${place} is on a disk that is mounted read-only`;
      if (code === "EACCES") return `the ${what} ${place} cannot be written by this user`;
    }
  }
  return undefined;
}

/** The process that holds the lock, where the system lists that: a help, and no more. */
function holderOf(lockPath: string): number | undefined {
  try {
    const { dev, ino } = statSync(lockPath);
    const major = (dev >> 8) & 0xfff;
    const minor = (dev & 0xff) | ((dev >> 12) & 0xfff00);
    const device = [major, minor].map((part) => part.toString(16).padStart(2, "0")).join(":");
    const held = ` (\\d+) ${device}:${ino} `;
    return Number(new RegExp(held).exec(readFileSync("/proc/locks", "utf8"))?.[1]) || undefined;
  } catch {
    // Not every system has the list, and the lock says enough without it.
    return undefined;
  }
}

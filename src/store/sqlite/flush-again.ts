/**
 * Flushes a log whose last flush failed, or of which nobody knows whether it did. A system that
 * could not write pages to the disk forgets that they have to be: the next flush succeeds without
 * them and leaves a hole in the log, and after a loss of power all that stands behind it is gone.
 * So every byte is written again first, which changes nothing.
 *
 * Only the writer may do this, since nobody else appends to the log. SQLite keeps no lock on this
 * file that closing it could drop.
 */
import { closeSync, fsyncSync, openSync, readSync, writeSync } from "node:fs";
import { SetpointError } from "../../kernel/errors.ts";

const chunkBytes = 1_048_576;

/** Of a database in memory, or one that was never written, there is none: nothing is done. */
export function flushAgain(logPath: string): void {
  try {
    const file = openSync(logPath, "r+");
    try {
      writeAgain(file);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code === "ENOENT") return;
    const known = code === "ENOSPC" ? "store.full" : "store.unavailable";
    const message = `the log cannot be flushed (${logPath})`;
    throw new SetpointError(known, message, { cause, details: { path: logPath } });
  }
}

function writeAgain(file: number): void {
  const chunk = Buffer.allocUnsafe(chunkBytes);
  for (let at = 0; ;) {
    const bytes = readSync(file, chunk, 0, chunkBytes, at);
    if (bytes === 0) return;
    for (let done = 0; done < bytes;) {
      done += writeSync(file, chunk, done, bytes - done, at + done);
    }
    at += bytes;
  }
}

/**
 * Small files that must never be half written: keys, certificates, tokens. The text goes to a
 * second file, is flushed, and takes the place of the first in one step; then the folder is
 * flushed, so that the step survives a power failure too. One that fails, for want of room or for
 * anything else, throws and leaves the file as it was. The owner stays, also where the superuser
 * writes; a new file belongs to the owner of its folder then.
 */
import { closeSync, existsSync, fstatSync, fsyncSync, linkSync, openSync } from "node:fs";
import { renameSync, rmSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import { giveToOwnerOf } from "../store/file-rights.ts";

export interface DurableWrite {
  /** "keep" never overwrites: of two processes that start at once, one makes the file. */
  readonly existing: "replace" | "keep";
  readonly mode: 0o600 | 0o644;
}

export function writeDurably(path: string, text: string, { existing, mode }: DurableWrite): void {
  const partial = `${path}.${process.pid}.partial`;
  try {
    const model = existsSync(path) ? path : dirname(path);
    writeWhole(partial, Buffer.from(text), { mode, model });
    if (existing === "replace") renameSync(partial, path);
    else linkIfMissing(partial, path);
  } finally {
    // Nothing is there after the file was renamed; what failed on the way leaves nothing behind.
    rmSync(partial, { force: true });
  }
  const folder = openSync(dirname(path), "r");
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}

/** A disk with little room takes a part and says so only by a count. */
function writeWhole(
  path: string,
  bytes: Buffer,
  { mode, model }: { readonly mode: number; readonly model: string },
): void {
  // Left by a process of the same number that crashed, or put there by the owner of the folder.
  rmSync(path, { force: true });
  const file = openSync(path, "wx", mode);
  try {
    giveToOwnerOf(model, file);
    for (let done = 0; done < bytes.length;) {
      const written = writeSync(file, bytes, done);
      if (written === 0) {
        throw new Error(`${path}: only ${done} of ${bytes.length} bytes were written`);
      }
      done += written;
    }
    fsyncSync(file);
    const { size } = fstatSync(file);
    if (size !== bytes.length) {
      throw new Error(`${path}: only ${size} of ${bytes.length} bytes are on disk`);
    }
  } finally {
    closeSync(file);
  }
}

function linkIfMissing(partial: string, path: string): void {
  try {
    linkSync(partial, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
}

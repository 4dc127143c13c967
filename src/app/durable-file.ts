/**
 * Small files that must never be half written: keys, certificates, tokens. The text goes to a
 * second file, is flushed, and takes the place of the first in one step; then the folder is
 * flushed, so that the step survives a power failure too.
 */
import { closeSync, fsyncSync, linkSync, openSync, renameSync, rmSync, writeSync } from "node:fs";
import { dirname } from "node:path";

export interface DurableWrite {
  /** "keep" never overwrites: of two processes that start at once, one makes the file. */
  readonly existing: "replace" | "keep";
  readonly mode: 0o600 | 0o644;
}

export function writeDurably(path: string, text: string, { existing, mode }: DurableWrite): void {
  const partial = `${path}.${process.pid}.partial`;
  const file = openSync(partial, "w", mode);
  try {
    writeSync(file, text);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  if (existing === "replace") renameSync(partial, path);
  else {
    try {
      linkSync(partial, path);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    } finally {
      rmSync(partial, { force: true });
    }
  }
  const folder = openSync(dirname(path), "r");
  fsyncSync(folder);
  closeSync(folder);
}

// Reads the lines that a program adds to a file.

import { open } from "node:fs/promises";
import { limits } from "../../../kernel/limits.ts";

export interface FileTail {
  /** The lines that were completed since the last call. `isLast` adds a line without its end. */
  lines(isLast?: boolean): Promise<readonly string[]>;
}

export function tailFile(path: string): FileTail {
  let position = 0;
  let rest = Buffer.alloc(0);
  return {
    lines: async (isLast = false) => {
      const { bytes, isMissing } = await readFrom(path, position);
      if (isMissing) return [];
      position += bytes.length;
      const all = Buffer.concat([rest, bytes]);
      const end = all.lastIndexOf(0x0a) + 1;
      rest = all.subarray(end);
      const isPiece = isLast || rest.length > limits.maxProgramLineBytes;
      const text = all.subarray(0, end).toString("utf8");
      const found = text === "" ? [] : text.slice(0, -1).split("\n");
      if (!isPiece || rest.length === 0) return found;
      const piece = rest.toString("utf8");
      rest = Buffer.alloc(0);
      return [...found, piece];
    },
  };
}

async function readFrom(
  path: string,
  position: number,
): Promise<{ readonly bytes: Buffer; readonly isMissing: boolean }> {
  let file;
  try {
    file = await open(path, "r");
  } catch {
    // The program has not begun.
    return { bytes: Buffer.alloc(0), isMissing: true };
  }
  try {
    const { size } = await file.stat();
    const bytes = Buffer.alloc(Math.max(0, Math.min(size - position, maxReadBytes)));
    const { bytesRead } = await file.read(bytes, 0, bytes.length, position);
    return { bytes: bytes.subarray(0, bytesRead), isMissing: false };
  } finally {
    await file.close();
  }
}

/** In one call; the rest is read with the next. */
const maxReadBytes = 1_048_576;

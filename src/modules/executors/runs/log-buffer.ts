// Collects lines of output and cuts them into chunks. Pure: the caller stores the chunks.

import { executorLimits } from "../limits.ts";
import { withoutTrailing } from "../../../kernel/trailing.ts";

export interface LogBuffer {
  /** False: the log is full, and the line is dropped. */
  add(line: string): boolean;
  /** The next chunk, or undefined; all that is left if `isLast`, otherwise only full chunks. */
  take(isLast: boolean): string | undefined;
  readonly bytes: number;
  readonly isTruncated: boolean;
}

export const truncatedLine = "[output truncated]";

export function logBuffer(): LogBuffer {
  const { maxLogChunkBytes, maxRunLogBytes, maxLogLineBytes } = executorLimits;
  let waiting: string[] = [];
  let waitingBytes = 0;
  let bytes = 0;
  let isTruncated = false;
  const push = (text: string): void => {
    waiting.push(text);
    waitingBytes += Buffer.byteLength(text);
    bytes += Buffer.byteLength(text);
  };
  return {
    add: (line) => {
      if (isTruncated) return false;
      const text = `${cut(line, maxLogLineBytes)}\n`;
      isTruncated = bytes + Buffer.byteLength(text) > maxRunLogBytes;
      push(isTruncated ? `${truncatedLine}\n` : text);
      return !isTruncated;
    },
    take: (isLast) => {
      if (waiting.length === 0 || (!isLast && waitingBytes < maxLogChunkBytes)) return undefined;
      const taken: string[] = [];
      let size = 0;
      for (const text of waiting) {
        const more = Buffer.byteLength(text);
        if (taken.length > 0 && size + more > maxLogChunkBytes) break;
        taken.push(text);
        size += more;
      }
      waiting = waiting.slice(taken.length);
      waitingBytes -= size;
      return taken.join("");
    },
    get bytes() {
      return bytes;
    },
    get isTruncated() {
      return isTruncated;
    },
  };
}

/** Without a part of a character at its end. */
function cut(line: string, maxBytes: number): string {
  const whole = Buffer.from(line);
  if (whole.length <= maxBytes) return line;
  return `${withoutTrailing(whole.subarray(0, maxBytes).toString("utf8"), "�")}…`;
}

// Collects the output of one stream up to a limit and cuts it into lines. Bytes are kept as they
// came; lines are decoded as UTF-8 only when they are complete, so that no character is cut apart.

import type { ProgramOutput } from "./port.ts";

export interface OutputCollector {
  /** Returns false when the chunk went beyond the limit. */
  push(chunk: Buffer): boolean;
  /** Reports the last line if it has no line break. */
  end(): void;
  output(): ProgramOutput;
}

const lineBreak = 0x0a;

export interface CollectorOptions {
  readonly maxBytes: number;
  /** A longer line is reported in pieces. */
  readonly maxLineBytes: number;
  readonly onLine?: ((text: string) => void) | undefined;
}

export function outputCollector(options: CollectorOptions): OutputCollector {
  const { maxBytes, onLine } = options;
  const chunks: Buffer[] = [];
  let bytes = 0;
  let isTruncated = false;
  const lines = onLine === undefined ? undefined : lineCutter(options.maxLineBytes, onLine);
  return {
    push: (chunk) => {
      const kept = chunk.subarray(0, maxBytes - bytes);
      bytes += kept.length;
      if (kept.length > 0) {
        chunks.push(kept);
        lines?.push(kept);
      }
      if (kept.length < chunk.length) isTruncated = true;
      return kept.length === chunk.length;
    },
    end: () => lines?.end(),
    output: () => ({ bytes: Buffer.concat(chunks), isTruncated }),
  };
}

interface LineCutter {
  push(chunk: Buffer): void;
  end(): void;
}

function lineCutter(maxLineBytes: number, onLine: (text: string) => void): LineCutter {
  let parts: Buffer[] = [];
  let bytes = 0;
  const flush = (): void => {
    const line = Buffer.concat(parts).toString("utf8");
    parts = [];
    bytes = 0;
    onLine(line.endsWith("\r") ? line.slice(0, -1) : line);
  };
  const add = (part: Buffer): void => {
    for (let at = 0; at < part.length;) {
      const piece = part.subarray(at, at + maxLineBytes - bytes);
      parts.push(piece);
      bytes += piece.length;
      at += piece.length;
      if (bytes >= maxLineBytes) flush();
    }
  };
  return {
    push: (chunk) => {
      let start = 0;
      for (
        let end = chunk.indexOf(lineBreak, start);
        end >= 0;
        end = chunk.indexOf(lineBreak, start)
      ) {
        add(chunk.subarray(start, end));
        flush();
        start = end + 1;
      }
      add(chunk.subarray(start));
    },
    end: () => {
      if (bytes > 0) flush();
    },
  };
}

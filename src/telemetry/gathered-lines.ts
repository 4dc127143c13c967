/**
 * Lines of a log that come together, as those about the writes of one commit, go out in one write:
 * a write costs as much as making ten lines. What a person may have to look at goes at once, after
 * all that came before.
 */
import type { Level } from "./log.ts";

export interface GatheredLines {
  readonly write: (lines: string, level: Level) => void;
  /** What has not gone out yet; to be called before the process ends. */
  readonly flush: () => void;
}

const maxChars = 64 * 1_024;

export function gatheredLines(
  write: (lines: string) => void,
  afterwards: (run: () => void) => void,
): GatheredLines {
  let waiting = "";
  const flush = (): void => {
    const lines = waiting;
    waiting = "";
    if (lines !== "") write(lines);
  };
  return {
    write: (lines, level) => {
      if (waiting === "") afterwards(flush);
      waiting += lines;
      const isUrgent = level === "warn" || level === "error";
      if (isUrgent || waiting.length > maxChars) flush();
    },
    flush,
  };
}

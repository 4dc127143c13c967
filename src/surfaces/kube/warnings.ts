// Warnings go out as headers, which have no room for endless texts: when all of them together are
// too long, each is shortened, and those that still do not fit are left out. So are
// those beyond a number that clients can take.

import { limits } from "../../kernel/limits.ts";

export function warningHeaders(warnings: Iterable<string>): readonly string[] {
  const texts = [...warnings].slice(0, limits.maxWarnings);
  const total = texts.reduce((sum, text) => sum + text.length, 0);
  if (total <= limits.maxWarningChars) return texts.map(warningHeader);
  const shown: string[] = [];
  let written = 0;
  for (const text of texts) {
    if (written >= limits.maxWarningChars) break;
    // A character has two units at most, so that a long text is not taken apart as a whole.
    const start = text.slice(0, 2 * limits.maxShortWarningChars);
    const short = Array.from(start).slice(0, limits.maxShortWarningChars).join("");
    written += short.length;
    shown.push(warningHeader(short));
  }
  return shown;
}

function warningHeader(text: string): string {
  const quoted = text.replaceAll(/[\\"]/g, "\\$&").replaceAll(/[^\x20-\x7e]/g, "?");
  return `299 - "${quoted}"`;
}

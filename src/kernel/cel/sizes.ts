// How large a value is when costs go by size: characters, bytes, items or entries; one for the
// rest. A character is a code point, which for almost all text is the length of the string.

import type { CelValue } from "./values.ts";

export function sizeOf(value: CelValue): number {
  if (typeof value === "string") return codePoints(value);
  if (typeof value !== "object" || value === null) return 1;
  switch (value.kind) {
    case "list":
    case "map":
      return value.size;
    case "bytes":
      return value.bytes.length;
    case "optional":
      return value.value === undefined ? 1 : sizeOf(value.value);
    case "opaque":
      return value.size ?? 1;
    default:
      return 1;
  }
}

export function codePoints(text: string): number {
  let count = text.length;
  for (let i = 0; i + 1 < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit < 0xd800 || unit > 0xdbff) continue;
    const next = text.charCodeAt(i + 1);
    if (next >= 0xdc00 && next <= 0xdfff) {
      count--;
      i++;
    }
  }
  return count;
}

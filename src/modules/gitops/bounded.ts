// Lists that a status holds, within a number of bytes.

import { canonicalJson } from "../../kernel/canonical-json.ts";
import type { Json } from "../../kernel/json.ts";

/** The first ones that together are not longer. */
export function withinBytes<T extends Json>(items: readonly T[], most: number): readonly T[] {
  let bytes = 0;
  const end = items.findIndex((item) => {
    bytes += Buffer.byteLength(canonicalJson(item)) + 1;
    return bytes > most;
  });
  return end < 0 ? items : items.slice(0, end);
}

// Documents between a server and the agents of its clusters: compressed, and bounded when opened,
// because an agent is not trusted.

import { gunzipSync, gzipSync } from "node:zlib";
import { canonicalJson } from "../../../kernel/canonical-json.ts";
import { parseExact } from "../../../kernel/int64.ts";
import { isJsonObject } from "../../../kernel/json.ts";
import type { JsonObject } from "../../../kernel/json.ts";
import { gitopsLimits } from "../limits.ts";

export function packed(document: JsonObject): Buffer {
  return gzipSync(canonicalJson(document));
}

/** Undefined: it is not a packed document, or one that is too long. */
export function unpacked(data: Uint8Array): JsonObject | undefined {
  try {
    const text = gunzipSync(data, { maxOutputLength: gitopsLimits.maxRenderedBytes });
    const value = parseExact(text.toString("utf8"));
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

export function partsOf(data: Buffer): readonly Buffer[] {
  const size = gitopsLimits.bundlePartBytes;
  const count = Math.max(1, Math.ceil(data.length / size));
  return Array.from({ length: count }, (_, at) => data.subarray(at * size, (at + 1) * size));
}

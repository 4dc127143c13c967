// One text for one value: keys sorted by UTF-16 code unit, no white space, numbers and strings as
// JSON.stringify writes them (the rules of RFC 8785). Two documents are equal exactly when their
// canonical texts are, so digests and signatures may be taken over it.

import { isJsonArray } from "./json.ts";
import type { Json } from "./json.ts";

export function canonicalJson(value: Json): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (isJsonArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  const members = Object.keys(value)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${canonicalJson(value[key] ?? null)}`);
  return `{${members.join(",")}}`;
}

// Digests of documents: equal digests are equal documents.

import { createHash } from "node:crypto";
import { canonicalJson } from "../../kernel/canonical-json.ts";
import type { Json } from "../../kernel/json.ts";

export function digestOf(value: Json): string {
  return createHash("sha256").update(canonicalJson(value)).digest("hex");
}

// Secrets that a template asks for.

import type { JsonObject } from "../../../kernel/json.ts";
import { numberAt, textAt } from "../../../kernel/json-read.ts";
import type { Random } from "../../../kernel/random.ts";

const defaultBytes = 32;

export function newSecret(random: Random, declared: JsonObject): string {
  const bytes = Buffer.from(random.bytes(numberAt(declared, "bytes") ?? defaultBytes));
  return bytes.toString(textAt(declared, "format") === "hex" ? "hex" : "base64url");
}

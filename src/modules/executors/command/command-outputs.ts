// The outputs of a program: the last line of its standard output that is a JSON object. Pure.

import { parseExact } from "../../../kernel/int64.ts";
import { isJsonObject } from "../../../kernel/json.ts";
import type { JsonObject } from "../../../kernel/json.ts";

/** Reads one line after the other, and keeps the last object. */
export function outputReader(): { line(text: string): void; outputs(): JsonObject } {
  let last: JsonObject = {};
  return {
    line: (text) => {
      const trimmed = text.trim();
      if (!trimmed.startsWith("{") || !trimmed.endsWith("}")) return;
      try {
        const value = parseExact(trimmed);
        if (isJsonObject(value)) last = value;
      } catch {
        // Text that looks like JSON.
      }
    },
    outputs: () => last,
  };
}

export function splitOutputs(
  outputs: JsonObject,
  secretNames: readonly string[],
): { readonly plain: JsonObject; readonly secret: JsonObject } {
  const entries = Object.entries(outputs).filter(([, value]) => value !== null);
  const isSecret = ([name]: readonly [string, unknown]): boolean => secretNames.includes(name);
  return {
    plain: Object.fromEntries(entries.filter((entry) => !isSecret(entry))),
    secret: Object.fromEntries(entries.filter((entry) => isSecret(entry))),
  };
}

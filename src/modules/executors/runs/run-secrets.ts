// Removes the secret values of a run from its output. A value of several lines appears in the
// output line by line, and programs often print values in base64.

import { hider } from "../../../kernel/hider.ts";
import type { Hide } from "../../../kernel/hider.ts";
import { isJsonObject } from "../../../kernel/json.ts";
import type { Json } from "../../../kernel/json.ts";

export function runHider(secrets: readonly string[]): Hide {
  return hider(
    secrets.flatMap((secret) => [
      secret,
      Buffer.from(secret).toString("base64").replace(/=+$/, ""),
      ...secret.split(/\r?\n/).map((line) => line.trim()),
    ]),
  );
}

/** Every text and number within a value. */
export function textsWithin(value: Json | undefined): readonly string[] {
  if (typeof value === "string") return [value];
  if (typeof value === "number") return [String(value)];
  if (Array.isArray(value)) return value.flatMap((each: Json) => textsWithin(each));
  return isJsonObject(value) ? Object.values(value).flatMap((each) => textsWithin(each)) : [];
}

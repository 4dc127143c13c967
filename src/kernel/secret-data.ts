// The data of a Secret, decoded from base64.

import type { JsonObject } from "./json.ts";
import { objectAt } from "./json-read.ts";

export type SecretData = { readonly [key: string]: string };

/** Undefined for a Secret that does not exist. */
export function secretData(secret: JsonObject | undefined): SecretData | undefined {
  if (secret === undefined) return undefined;
  const decoded: { [key: string]: string } = {};
  for (const [key, value] of Object.entries(objectAt(secret, "data"))) {
    if (typeof value === "string") decoded[key] = Buffer.from(value, "base64").toString("utf8");
  }
  return decoded;
}

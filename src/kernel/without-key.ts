// An object without one of its keys. A rest pattern would name a value that nobody uses, and
// `delete` on a copy turns the copy into a slow dictionary; metadata is copied on every write.

import { setOwn } from "./json.ts";
import type { JsonObject, MutableJsonObject } from "./json.ts";

/** The caller knows that the key is optional, so the type stays the same. */
export function withoutKey<T extends JsonObject>(object: T, key: string): T {
  if (!Object.hasOwn(object, key)) return object;
  const rest: MutableJsonObject = {};
  for (const other of Object.keys(object)) {
    if (other !== key) setOwn(rest, other, object[other] ?? null);
  }
  return rest as T;
}

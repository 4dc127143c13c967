// A merge patch that makes a field of a status equal to a value: what the value does not have is
// removed. A merge patch alone would keep it.

import { isJsonObject } from "../../../kernel/json.ts";
import type { Json, JsonObject } from "../../../kernel/json.ts";

export function replacing(before: Json | undefined, next: JsonObject): JsonObject {
  const old = isJsonObject(before) ? before : {};
  const removed = Object.keys(old).filter((key) => !Object.hasOwn(next, key));
  const kept = Object.entries(next).map(([key, value]): [string, Json] => {
    const was = Object.hasOwn(old, key) ? old[key] : undefined;
    return [key, isJsonObject(value) ? replacing(was, value) : value];
  });
  return Object.fromEntries([...removed.map((key): [string, Json] => [key, null]), ...kept]);
}

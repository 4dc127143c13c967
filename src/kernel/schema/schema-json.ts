// The JSON of a schema as its author wrote it: the rules about schemas look at that, because
// they have to name what a compiled schema no longer has. Wrong types count as absent.

import { isJsonArray } from "../json.ts";
import type { Json, JsonObject } from "../json.ts";
import { objectAt, valueAt } from "../json-read.ts";

/** Null is as good as nothing, in Go. */
export function isSet(json: JsonObject, key: string): boolean {
  return valueAt(json, key) !== undefined;
}

/** The schemas of a map such as properties, with their names. */
export function schemasIn(
  json: JsonObject,
  key: string,
): readonly (readonly [string, JsonObject])[] {
  return Object.entries(objectAt(json, key)).map(([name, value]) => [name, objectAt(value)]);
}

/** True when schemas are nested deeper than that; nothing else may walk them then. */
export function isDeeperThan(value: Json, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (levels <= 0) return true;
  const inner: readonly Json[] = isJsonArray(value) ? value : Object.values(value);
  return inner.some((part) => isDeeperThan(part, levels - 1));
}

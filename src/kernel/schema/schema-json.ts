// The JSON of a schema as its author wrote it: the rules about schemas look at that, because
// they have to name what a compiled schema no longer has. Wrong types count as absent.

import { getOwn, isJsonArray, isJsonObject } from "../json.ts";
import type { Json, JsonObject } from "../json.ts";

export function textAt(json: JsonObject, key: string): string {
  const value = getOwn(json, key);
  return typeof value === "string" ? value : "";
}

export function isFlagged(json: JsonObject, key: string): boolean {
  return getOwn(json, key) === true;
}

/** Null is as good as nothing, in Go. */
export function isSet(json: JsonObject, key: string): boolean {
  return (getOwn(json, key) ?? null) !== null;
}

export function objectAt(json: JsonObject, key: string): JsonObject | undefined {
  const value = getOwn(json, key);
  return isJsonObject(value) ? value : undefined;
}

function listAt(json: JsonObject, key: string): readonly Json[] {
  const value = getOwn(json, key);
  return isJsonArray(value) ? value : [];
}

export function textsAt(json: JsonObject, key: string): readonly string[] {
  return listAt(json, key).filter((item) => typeof item === "string");
}

/** The schemas of a list such as allOf. */
export function schemasAt(json: JsonObject, key: string): readonly JsonObject[] {
  return listAt(json, key).filter(isJsonObject);
}

/** The schemas of a map such as properties, with their names. */
export function schemasIn(
  json: JsonObject,
  key: string,
): readonly (readonly [string, JsonObject])[] {
  const map = objectAt(json, key);
  if (map === undefined) return [];
  return Object.entries(map).map(([name, value]) => [name, isJsonObject(value) ? value : {}]);
}

/** True when schemas are nested deeper than that; nothing else may walk them then. */
export function isDeeperThan(value: Json, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (levels <= 0) return true;
  const inner: readonly Json[] = isJsonArray(value) ? value : Object.values(value);
  return inner.some((part) => isDeeperThan(part, levels - 1));
}

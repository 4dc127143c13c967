// Reading parts of documents whose types nobody has proven yet. What is absent, null or of another
// type reads as empty: schemas report wrong types, so that rules, reviews and columns can run over
// any document without asking first. Paths are own keys only, as everywhere in the kernel.

import { isNumber } from "./int64.ts";
import { getOwn, isJsonArray, isJsonObject } from "./json.ts";
import type { Json, JsonObject } from "./json.ts";

type Path = readonly string[];

/** Undefined for what is absent and for null, which mean the same. */
export function valueAt(value: Json | undefined, ...path: Path): Json | undefined {
  let found = value;
  for (const key of path) found = isJsonObject(found) ? getOwn(found, key) : undefined;
  return found === null ? undefined : found;
}

/** The object at a path, or an empty one. */
export function objectAt(value: Json | undefined, ...path: Path): JsonObject {
  return presentObjectAt(value, ...path) ?? {};
}

/** For those to whom no object and an empty one are different. */
export function presentObjectAt(value: Json | undefined, ...path: Path): JsonObject | undefined {
  const found = valueAt(value, ...path);
  return isJsonObject(found) ? found : undefined;
}

/** True when there is an object, be it empty. */
export function hasObject(value: Json | undefined, ...path: Path): boolean {
  return isJsonObject(valueAt(value, ...path));
}

export function listAt(value: Json | undefined, ...path: Path): readonly Json[] {
  const found = valueAt(value, ...path);
  return isJsonArray(found) ? found : [];
}

/** The objects of a list, without its other items. */
export function objectsAt(value: Json | undefined, ...path: Path): readonly JsonObject[] {
  return listAt(value, ...path).filter((item) => isJsonObject(item));
}

/** The texts of a list, without its other items. */
export function textsAt(value: Json | undefined, ...path: Path): readonly string[] {
  return listAt(value, ...path).filter((item) => typeof item === "string");
}

export function textAt(value: Json | undefined, ...path: Path): string {
  const found = valueAt(value, ...path);
  return typeof found === "string" ? found : "";
}

/** The nearest number: for bounds, times and counts, not for values that are passed on. */
export function numberAt(value: Json | undefined, ...path: Path): number | undefined {
  const found = valueAt(value, ...path);
  return isNumber(found) ? Number(found) : undefined;
}

export function isTrueAt(value: Json | undefined, ...path: Path): boolean {
  return valueAt(value, ...path) === true;
}

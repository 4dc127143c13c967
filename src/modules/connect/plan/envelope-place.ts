// Where an object is in a response, if it is not where the binding says: the place that has the
// fields of the object. Used for messages only; a binding is never corrected by itself.

import { isJsonArray, isJsonObject } from "../../../kernel/json.ts";
import type { Json, JsonObject } from "../../../kernel/json.ts";
import { escapeToken } from "../../../kernel/pointer.ts";

const deepest = 3;

/** The pointer of an object with at least half of the keys, other than `wrong`. */
export function placeOfObject(
  json: Json,
  keys: readonly string[],
  wrong: string,
): string | undefined {
  return search(json, "", 0, (value, at) => {
    return at !== wrong && isJsonObject(value) && hasMost(value, keys);
  });
}

/** The pointer of a list whose elements have at least half of the keys. */
export function placeOfList(json: Json, keys: readonly string[]): string | undefined {
  const isList = (value: Json): boolean => {
    const [first] = isJsonArray(value) ? value : [];
    return first !== undefined && isJsonObject(first) && hasMost(first, keys);
  };
  return search(json, "", 0, isList);
}

/** Whether an object has none of the keys. */
export function hasNone(object: JsonObject, keys: readonly string[]): boolean {
  return keys.length > 0 && !keys.some((key) => Object.hasOwn(object, key));
}

function hasMost(object: JsonObject, keys: readonly string[]): boolean {
  const found = keys.filter((key) => Object.hasOwn(object, key)).length;
  return found > 0 && found * 2 >= keys.length;
}

function search(
  value: Json,
  at: string,
  depth: number,
  isIt: (value: Json, at: string) => boolean,
): string | undefined {
  if (isIt(value, at)) return at;
  if (depth >= deepest || !isJsonObject(value)) return undefined;
  for (const [key, item] of Object.entries(value)) {
    const found = search(item, `${at}/${escapeToken(key)}`, depth + 1, isIt);
    if (found !== undefined) return found;
  }
  return undefined;
}

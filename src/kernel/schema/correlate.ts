// Which old value a new one replaces, and whether it is still the same. Ratcheting forgives
// what was wrong already: an unchanged value is not complained about, however much the rules
// have changed since. Items of lists are found again by their map keys only; all other lists
// are one value.

import { equalJson, getOwn, isJsonArray, isJsonObject } from "../json.ts";
import type { Json, JsonObject } from "../json.ts";
import { canonicalJson } from "../canonical-json.ts";
import type { Schema } from "./schema.ts";

/** A value with the one that it replaces, and the schema that tells how their parts relate. */
export interface Correlation {
  readonly schema: Schema;
  readonly value: Json;
  readonly old: Json;
}

export function correlateKey(
  correlation: Correlation | undefined,
  key: string,
): Correlation | undefined {
  if (correlation === undefined) return undefined;
  const { schema, value, old } = correlation;
  if (!isJsonObject(value) || !isJsonObject(old)) return undefined;
  const [inner, oldInner] = [getOwn(value, key), getOwn(old, key)];
  if (inner === undefined || oldInner === undefined) return undefined;
  const additional = schema.additionalProperties;
  const child =
    schema.properties.get(key) ?? (typeof additional === "object" ? additional : undefined);
  return child === undefined ? undefined : { schema: child, value: inner, old: oldInner };
}

export function correlateIndex(
  correlation: Correlation | undefined,
  index: number,
): Correlation | undefined {
  if (correlation === undefined) return undefined;
  const { schema, value, old } = correlation;
  if (schema.listType !== "map" || schema.items === undefined) return undefined;
  if (!isJsonArray(value) || !isJsonArray(old)) return undefined;
  const item = value[index];
  if (!isJsonObject(item)) return undefined;
  const found = itemsByKey(old, schema.listMapKeys).get(keyOf(item, schema.listMapKeys));
  return found === undefined ? undefined : { schema: schema.items, value: item, old: found };
}

/** Map lists are the same in any order; content that the schema does not know never is. */
export function isUnchanged(correlation: Correlation): boolean {
  const { schema, value, old } = correlation;
  if (value === null || old === null) return value === old;
  if (isJsonArray(value)) {
    if (!isJsonArray(old) || value.length !== old.length) return false;
    if (schema.listType !== "map") return equalJson(value, old);
    return value.every((_, index) => {
      const child = correlateIndex(correlation, index);
      return child !== undefined && isUnchanged(child);
    });
  }
  if (!isJsonObject(value)) return value === old;
  if (!isJsonObject(old)) return false;
  const keys = Object.keys(value);
  if (keys.length !== Object.keys(old).length) return false;
  return keys.every((key) => {
    const child = correlateKey(correlation, key);
    return child !== undefined && isUnchanged(child);
  });
}

type Items = ReadonlyMap<string, JsonObject>;

/** Each old list is looked at once; the maps live as long as the lists do. */
const itemsOfLists = new WeakMap<readonly Json[], Items>();

function itemsByKey(list: readonly Json[], keys: readonly string[]): Items {
  const known = itemsOfLists.get(list);
  if (known !== undefined) return known;
  const items = new Map<string, JsonObject>();
  for (const item of list) {
    if (!isJsonObject(item)) continue;
    const key = keyOf(item, keys);
    if (!items.has(key)) items.set(key, item);
  }
  itemsOfLists.set(list, items);
  return items;
}

function keyOf(item: JsonObject, keys: readonly string[]): string {
  return canonicalJson(keys.map((key) => getOwn(item, key) ?? null));
}

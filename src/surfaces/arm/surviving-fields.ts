// What one api-version does not know, another may have written: such fields survive a write by
// the first. Only what the schema knows is replaced. Items of lists are the same item when they
// have the same key, or the same name where the schema says nothing; other lists are replaced as a
// whole.

import { getOwn, isJsonArray, isJsonObject, setOwn } from "../../kernel/json.ts";
import type { Json, JsonObject, MutableJsonObject } from "../../kernel/json.ts";
import type { Schema } from "../../kernel/schema/schema.ts";

export function withSurviving(schema: Schema, next: JsonObject, before: JsonObject): JsonObject {
  if (schema.preserveUnknownFields || schema.additionalProperties !== undefined) return next;
  const result: MutableJsonObject = { ...next };
  for (const [key, old] of Object.entries(before)) {
    const field = schema.properties.get(key);
    const value = getOwn(next, key);
    if (field === undefined) {
      if (value === undefined) setOwn(result, key, old);
    } else if (value !== undefined) setOwn(result, key, surviving(field, value, old));
  }
  return result;
}

function surviving(schema: Schema, next: Json, before: Json): Json {
  if (isJsonObject(next) && isJsonObject(before)) {
    return openValues(schema, withSurviving(schema, next, before), before);
  }
  const { items } = schema;
  if (!isJsonArray(next) || !isJsonArray(before) || items === undefined) return next;
  const keys = schema.listMapKeys.length > 0 ? schema.listMapKeys : ["name"];
  const olds = new Map(before.map((item) => [identityOf(item, keys), item]));
  const isClear = new Set(next.map((item) => identityOf(item, keys))).size === next.length;
  if (!isClear || olds.has(undefined)) return next;
  return next.map((item) => {
    const old = olds.get(identityOf(item, keys));
    return old === undefined ? item : surviving(items, item, old);
  });
}

/** The values under free keys have a schema, too. */
function openValues(schema: Schema, next: JsonObject, before: JsonObject): JsonObject {
  const values = schema.additionalProperties;
  if (typeof values !== "object") return next;
  const entries = Object.entries(next).map(([key, value]): [string, Json] => {
    const old = getOwn(before, key);
    return [key, old === undefined ? value : surviving(values, value, old)];
  });
  return Object.fromEntries(entries);
}

function identityOf(item: Json, keys: readonly string[]): string | undefined {
  if (!isJsonObject(item)) return undefined;
  const values = keys.map((key) => getOwn(item, key));
  return values.includes(undefined) ? undefined : JSON.stringify(values);
}

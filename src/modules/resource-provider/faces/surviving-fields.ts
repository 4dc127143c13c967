// What one api-version does not know, another may have written: such fields survive a write by
// the first. Only what the schema knows is replaced. An object that is left out keeps what the
// version does not know of it, unless it cannot be without what the version knows; where a client
// writes null in its place, it goes as a whole. Items of lists are the same item when they have the
// same key, or the same name where the schema says nothing; other lists are replaced as a whole.

import { getOwn, isJsonArray, isJsonObject, setOwn } from "../../../kernel/json.ts";
import type { Json, JsonObject, MutableJsonObject } from "../../../kernel/json.ts";
import type { Schema } from "../../../kernel/schema/schema.ts";

/** `sent` is what the client itself wrote, in which null stands for what shall go. */
export function withSurviving(
  schema: Schema,
  next: JsonObject,
  before: JsonObject,
  sent?: Json,
): JsonObject {
  if (schema.preserveUnknownFields || schema.additionalProperties !== undefined) return next;
  const result: MutableJsonObject = { ...next };
  for (const [key, old] of Object.entries(before)) {
    const field = schema.properties.get(key);
    const value = getOwn(next, key);
    const given = isJsonObject(sent) ? getOwn(sent, key) : undefined;
    if (field === undefined) {
      if (value === undefined) setOwn(result, key, old);
    } else if (value !== undefined) setOwn(result, key, surviving(field, value, old, given));
    else if (given !== null) {
      const rest = unknownRest(field, old);
      if (rest !== undefined) setOwn(result, key, rest);
    }
  }
  return result;
}

/** What is left of an object without all that the schema knows of it; undefined for nothing. */
function unknownRest(schema: Schema, before: Json): JsonObject | undefined {
  if (!isJsonObject(before) || schema.required.length > 0) return undefined;
  const rest = withSurviving(schema, {}, before);
  return Object.keys(rest).length === 0 ? undefined : rest;
}

/**
 * What a version reads, without the objects of which it knows nothing that is in them: to it they
 * are not there.
 */
export function withoutHollow(schema: Schema, pruned: JsonObject, whole: JsonObject): JsonObject {
  const entries = Object.entries(pruned).flatMap(([key, value]): [string, Json][] => {
    const [field, before] = [schema.properties.get(key), getOwn(whole, key)];
    if (field === undefined || !isJsonObject(value) || !isJsonObject(before)) return [[key, value]];
    const inner = withoutHollow(field, value, before);
    const isHollow = Object.keys(inner).length === 0 && Object.keys(before).length > 0;
    return isHollow && !schema.required.includes(key) ? [] : [[key, inner]];
  });
  return Object.fromEntries(entries);
}

function surviving(schema: Schema, next: Json, before: Json, sent?: Json): Json {
  if (isJsonObject(next) && isJsonObject(before)) {
    return openValues(schema, withSurviving(schema, next, before, sent), before);
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

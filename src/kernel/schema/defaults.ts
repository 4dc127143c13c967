// Fills in what a schema says is meant when nothing is said, and takes away the nulls that the
// schema does not allow. Like pruning, it changes nothing that it was given, and parts of a
// schema without defaults cost nothing.

import { cloneJson, isJsonArray, setOwn } from "../json.ts";
import type { Json, JsonObject, MutableJsonObject } from "../json.ts";
import type { Schema } from "./schema.ts";

/** Removes forbidden nulls, then adds the defaults: the two steps of a Kubernetes write. */
export function applyDefaults(schema: Schema, value: JsonObject): JsonObject;
export function applyDefaults(schema: Schema, value: Json): Json;
export function applyDefaults(schema: Schema, value: Json): Json {
  return addDefaults(schema, pruneNulls(schema, value));
}

/** Adds the defaults of absent fields, and those in place of nulls that may not be null. */
export function addDefaults(schema: Schema, value: Json): Json {
  if (!schema.addsDefaults || typeof value !== "object" || value === null) return value;
  return isJsonArray(value) ? listDefaults(schema.items, value) : objectDefaults(schema, value);
}

/**
 * Removes fields that are null, may not be, and have no default. Nulls with a default stay for
 * `addDefaults`, and those in lists stay for validation to complain about.
 */
function pruneNulls(schema: Schema, value: Json): Json {
  if (typeof value !== "object" || value === null) return value;
  return isJsonArray(value) ? listNulls(schema.items, value) : objectNulls(schema, value);
}

function objectDefaults(schema: Schema, object: JsonObject): JsonObject {
  let copy: MutableJsonObject | undefined;
  const setField = (key: string, value: Json): void => {
    copy ??= copyOf(object);
    setOwn(copy, key, value);
  };
  for (const [key, property] of schema.properties) {
    if (property.default === undefined && !property.addsDefaults) continue;
    const given = Object.hasOwn(object, key) ? object[key] : undefined;
    if (given === undefined && property.default === undefined) continue;
    const filled = fill(property, given);
    if (filled !== given) setField(key, filled);
  }
  const additional = schema.additionalProperties;
  if (typeof additional !== "object") return copy ?? object;
  for (const key of Object.keys(object)) {
    if (schema.properties.has(key)) continue;
    const given = object[key] ?? null;
    const filled = fill(additional, given);
    if (filled !== given) setField(key, filled);
  }
  return copy ?? object;
}

function listDefaults(items: Schema | undefined, list: readonly Json[]): readonly Json[] {
  if (items === undefined) return list;
  let copy: Json[] | undefined;
  for (let i = 0; i < list.length; i++) {
    const given = list[i] ?? null;
    const filled = fill(items, given);
    if (filled !== given) copy ??= list.slice(0, i);
    copy?.push(filled);
  }
  return copy ?? list;
}

function fill(schema: Schema, given: Json | undefined): Json {
  const isMissing = given === undefined || (given === null && !schema.nullable);
  const start = isMissing && schema.default !== undefined ? cloneJson(schema.default) : given;
  return addDefaults(schema, start ?? null);
}

function objectNulls(schema: Schema, object: JsonObject): JsonObject {
  let copy: MutableJsonObject | undefined;
  const additional = schema.additionalProperties;
  for (const key of Object.keys(object)) {
    const given = object[key] ?? null;
    if (typeof given !== "object") continue;
    const inner =
      schema.properties.get(key) ?? (typeof additional === "object" ? additional : undefined);
    if (inner === undefined) continue;
    if (given === null) {
      if (inner.nullable || inner.default !== undefined) continue;
      copy ??= copyOf(object);
      delete copy[key];
      continue;
    }
    const kept = pruneNulls(inner, given);
    if (kept === given) continue;
    copy ??= copyOf(object);
    setOwn(copy, key, kept);
  }
  return copy ?? object;
}

function listNulls(items: Schema | undefined, list: readonly Json[]): readonly Json[] {
  if (items === undefined) return list;
  let copy: Json[] | undefined;
  for (let i = 0; i < list.length; i++) {
    const given = list[i] ?? null;
    const kept = pruneNulls(items, given);
    if (kept !== given) copy ??= list.slice(0, i);
    copy?.push(kept);
  }
  return copy ?? list;
}

function copyOf(object: JsonObject): MutableJsonObject {
  const copy: MutableJsonObject = {};
  for (const key of Object.keys(object)) setOwn(copy, key, object[key] ?? null);
  return copy;
}

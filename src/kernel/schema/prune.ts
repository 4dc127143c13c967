// Removes the fields that a schema does not specify, as Kubernetes does before it stores a
// resource. The given value is never changed: what loses nothing is returned as it is, so that
// the usual request copies nothing.

import { isJsonArray, isJsonObject, setOwn } from "../json.ts";
import type { Json, JsonObject, MutableJsonObject } from "../json.ts";
import type { Schema } from "./schema.ts";
import { formatChild } from "./trail.ts";
import type { Trail } from "./trail.ts";

export interface PruneOptions {
  /** The value is a whole resource, whose type and metadata are nobody's to prune. */
  readonly isRoot: boolean;
}

export interface Pruned<T extends Json = Json> {
  readonly value: T;
  /** Paths of the removed fields, sorted, as in `unknown field "spec.list[0].x"`. */
  readonly unknown: readonly string[];
}

export function prune(schema: Schema, value: JsonObject, options: PruneOptions): Pruned<JsonObject>;
export function prune(schema: Schema, value: Json, options: PruneOptions): Pruned;
export function prune(schema: Schema, value: Json, { isRoot }: PruneOptions): Pruned {
  const walk: Walk = { trail: [], unknown: [] };
  const isResource = isRoot || schema.embeddedResource;
  const pruned =
    isJsonObject(value) && isResource
      ? pruneObject(walk, schema, value, true)
      : pruneValue(walk, schema, value);
  return { value: pruned, unknown: walk.unknown.length > 1 ? walk.unknown.sort() : walk.unknown };
}

/** Fields of every resource; they are specified wherever a resource is. */
export function isResourceField(key: string): boolean {
  return key === "metadata" || key === "kind" || key === "apiVersion";
}

interface Walk {
  readonly trail: Trail;
  readonly unknown: string[];
}

function pruneValue(walk: Walk, schema: Schema | undefined, value: Json): Json {
  if (typeof value !== "object" || value === null) return value;
  if (isJsonArray(value)) return pruneList(walk, schema, value);
  if (schema === undefined) return removeAll(walk, value);
  return pruneObject(walk, schema, value, schema.embeddedResource);
}

function pruneObject(walk: Walk, schema: Schema, object: JsonObject, isResource: boolean): Json {
  let copy: MutableJsonObject | undefined;
  const keys = Object.keys(object);
  for (let i = 0; i < keys.length; i++) {
    const key = keys[i] ?? "";
    if (isResource && isResourceField(key)) {
      if (copy !== undefined) setOwn(copy, key, object[key] ?? null);
      continue;
    }
    const property = schema.properties.get(key);
    const isKept =
      property !== undefined ||
      schema.additionalProperties !== undefined ||
      schema.preserveUnknownFields;
    if (!isKept) {
      copy ??= firstOf(object, keys, i);
      if (!isResourceField(key) || walk.trail.length > 0) {
        walk.unknown.push(formatChild(walk.trail, key));
      }
      continue;
    }
    const inner = object[key] ?? null;
    const kept = pruneField(walk, schema, property, key, inner);
    if (kept !== inner) copy ??= firstOf(object, keys, i);
    if (copy !== undefined) setOwn(copy, key, kept);
  }
  return copy ?? object;
}

function pruneField(
  walk: Walk,
  schema: Schema,
  property: Schema | undefined,
  key: string,
  value: Json,
): Json {
  if (typeof value !== "object" || value === null) return value;
  const additional = schema.additionalProperties;
  if (property === undefined && additional === undefined) return value;
  walk.trail.push(key);
  const inner = property ?? (typeof additional === "object" ? additional : undefined);
  const kept = pruneValue(walk, inner, value);
  walk.trail.pop();
  return kept;
}

function pruneList(walk: Walk, schema: Schema | undefined, list: readonly Json[]): readonly Json[] {
  const items = schema?.items;
  // Unknown content is kept in lists as it is in objects, unless the items are specified.
  if (items === undefined && schema?.preserveUnknownFields === true) return list;
  const isKept = schema?.preserveUnknownFields === true;
  let copy: Json[] | undefined;
  for (let i = 0; i < list.length; i++) {
    const inner = list[i] ?? null;
    if (typeof inner !== "object" || inner === null) {
      copy?.push(inner);
      continue;
    }
    walk.trail.push(i);
    const kept = isKept ? keepUnknown(walk, items, inner) : pruneValue(walk, items, inner);
    walk.trail.pop();
    if (kept !== inner) copy ??= list.slice(0, i);
    copy?.push(kept);
  }
  return copy ?? list;
}

/** Items of a list with unknown content keep theirs, too, even if their schema is silent. */
function keepUnknown(walk: Walk, schema: Schema | undefined, value: Json): Json {
  if (schema === undefined) return value;
  const keeping = keepers.get(schema) ?? { ...schema, preserveUnknownFields: true };
  keepers.set(schema, keeping);
  return pruneValue(walk, keeping, value);
}

const keepers = new WeakMap<Schema, Schema>();

function removeAll(walk: Walk, object: JsonObject): JsonObject {
  const keys = Object.keys(object);
  for (const key of keys) walk.unknown.push(formatChild(walk.trail, key));
  return keys.length === 0 ? object : {};
}

function firstOf(object: JsonObject, keys: readonly string[], count: number): MutableJsonObject {
  const copy: MutableJsonObject = {};
  for (let i = 0; i < count; i++) {
    const key = keys[i] ?? "";
    setOwn(copy, key, object[key] ?? null);
  }
  return copy;
}

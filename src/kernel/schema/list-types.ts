// Lists that are sets or maps hold nothing twice. On an update only a list of rules that the old
// document kept is enforced: a document that was wrong already may stay so.

import { canonicalJson } from "../canonical-json.ts";
import { duplicateField, invalidField } from "../field-error.ts";
import type { FieldError } from "../field-error.ts";
import { getOwn, isJsonArray, isJsonObject, setOwn } from "../json.ts";
import type { Json, JsonObject, MutableJsonObject } from "../json.ts";
import type { Schema } from "./schema.ts";
import { childPath } from "./trail.ts";

export interface ListTypeOptions {
  readonly old?: Json | undefined;
}

export function listTypeProblems(
  schema: Schema,
  value: Json,
  path = "",
  { old }: ListTypeOptions = {},
): readonly FieldError[] {
  if (!schema.hasKeyedLists) return [];
  const errors: FieldError[] = [];
  visit(schema, value, path, errors);
  if (errors.length === 0 || old === undefined) return errors;
  const oldErrors: FieldError[] = [];
  visit(schema, old, path, oldErrors);
  return oldErrors.length === 0 ? errors : [];
}

function visit(schema: Schema, value: Json, path: string, errors: FieldError[]): void {
  if (!schema.hasKeyedLists) return;
  if (isJsonArray(value)) visitList(schema, value, path, errors);
  else if (isJsonObject(value)) visitObject(schema, value, path, errors);
}

function visitObject(schema: Schema, object: JsonObject, path: string, errors: FieldError[]): void {
  const { properties, additionalProperties } = schema;
  for (const key of Object.keys(object)) {
    const value = object[key] ?? null;
    if (typeof additionalProperties === "object") {
      visit(additionalProperties, value, `${path}[${key}]`, errors);
    }
    const property = properties.get(key);
    if (property !== undefined) visit(property, value, childPath(path, key), errors);
  }
}

function visitList(
  schema: Schema,
  list: readonly Json[],
  path: string,
  errors: FieldError[],
): void {
  if (schema.listType === "set") {
    for (const index of repeated(list)) {
      errors.push(duplicateField(`${path}[${index}]`, list[index] ?? null));
    }
  } else if (schema.listType === "map") mapProblems(schema, list, path, errors);
  const { items } = schema;
  if (items === undefined) return;
  for (const [index, item] of list.entries()) visit(items, item, `${path}[${index}]`, errors);
}

function mapProblems(
  schema: Schema,
  list: readonly Json[],
  path: string,
  errors: FieldError[],
): void {
  const stranger = list.findIndex((item) => item !== null && !isJsonObject(item));
  if (stranger >= 0) {
    const detail = "must be an object for an array of list-type map";
    errors.push(invalidField(`${path}[${stranger}]`, list[stranger] ?? null, detail));
    return;
  }
  if (list.length <= 1) return;
  const [only] = schema.listMapKeys;
  const isSimple = schema.listMapKeys.length === 1 && only !== undefined;
  // An item without its key equals others without; no JSON value is equal to the mark of that.
  const keys = isSimple
    ? list.map((item) => (isJsonObject(item) ? getOwn(item, only) : undefined))
    : list.map((item) => keyOf(item, schema.listMapKeys));
  for (const index of repeated(keys)) {
    const key = keyOf(list[index] ?? null, schema.listMapKeys);
    errors.push(duplicateField(`${path}[${index}]`, key));
  }
}

function keyOf(item: Json, names: readonly string[]): JsonObject {
  const key: MutableJsonObject = {};
  if (!isJsonObject(item)) return key;
  for (const name of [...names].sort()) {
    const value = getOwn(item, name);
    if (value !== undefined) setOwn(key, name, value);
  }
  return key;
}

/** Of every value that is there more than once, the index of its second place. */
function repeated(list: readonly (Json | undefined)[]): readonly number[] {
  if (list.length <= 1) return [];
  const scalars = new Map<Json | undefined, number>();
  const compounds = new Map<string, number>();
  const found: number[] = [];
  for (const [index, item] of list.entries()) {
    const times =
      typeof item === "object" && item !== null
        ? countUp(compounds, canonicalJson(item))
        : countUp(scalars, item);
    if (times === 2) found.push(index);
  }
  return found;
}

function countUp<T>(counts: Map<T, number>, item: T): number {
  const times = (counts.get(item) ?? 0) + 1;
  counts.set(item, times);
  return times;
}

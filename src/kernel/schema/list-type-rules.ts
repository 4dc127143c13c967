// The rules of lists that are sets or maps: what their items may be, and which of their fields
// are keys. Messages and paths are those of Kubernetes.

import { forbiddenField, invalidField, requiredField, unsupportedField } from "../field-error.ts";
import type { FieldError } from "../field-error.ts";
import { getOwn, isJsonArray } from "../json.ts";
import type { JsonObject } from "../json.ts";
import { isTrueAt, presentObjectAt, textAt, textsAt } from "../json-read.ts";
import { isSet, schemasIn } from "./schema-json.ts";

export function listTypeErrors(json: JsonObject, path: string): readonly FieldError[] {
  const errors: FieldError[] = [];
  const hasListType = isSet(json, "x-kubernetes-list-type");
  const listType = hasListType ? textAt(json, "x-kubernetes-list-type") : undefined;
  if (listType !== undefined) typeErrors(json, listType, path, errors);
  const keys = textsAt(json, "x-kubernetes-list-map-keys");
  const at = `${path}.x-kubernetes-list-type`;
  if (keys.length > 0 && listType !== "map") {
    const detail = "must be map if x-kubernetes-list-map-keys is non-empty";
    const error = listType === undefined ? requiredField(at, detail) : undefined;
    errors.push(error ?? invalidField(at, listType, detail));
  }
  if (listType === "map") mapErrors(json, keys, path, errors);
  const items = presentObjectAt(json, "items");
  if (items !== undefined && (listType === "map" || listType === "set")) {
    nullErrors(items, listType, keys, path, errors);
  }
  return errors;
}

function typeErrors(json: JsonObject, listType: string, path: string, errors: FieldError[]): void {
  const type = textAt(json, "type");
  if (type !== "array") {
    const detail = "must be array if x-kubernetes-list-type is specified";
    const at = `${path}.type`;
    errors.push(type === "" ? requiredField(at, detail) : invalidField(at, type, detail));
  } else if (listType === "set") itemErrors(presentObjectAt(json, "items"), path, errors);
  if (!["atomic", "set", "map"].includes(listType)) {
    const at = `${path}.x-kubernetes-list-type`;
    errors.push(unsupportedField(at, listType, ["atomic", "set", "map"]));
  }
}

/** Items of sets are one value each. */
function itemErrors(items: JsonObject | undefined, path: string, errors: FieldError[]): void {
  if (items === undefined) return;
  const detail = "must be atomic as item of a list with x-kubernetes-list-type=set";
  const listType = getOwn(items, "x-kubernetes-list-type") ?? null;
  const isAtomicList = listType === null || listType === "atomic";
  if (textAt(items, "type") === "array" && !isAtomicList) {
    errors.push(invalidField(`${path}.items.x-kubernetes-list-type`, listType, detail));
  }
  const isAtomicMap = textAt(items, "x-kubernetes-map-type") === "atomic";
  if (textAt(items, "type") === "object" && !isAtomicMap) {
    errors.push(invalidField(`${path}.items.x-kubernetes-map-type`, listType, detail));
  }
}

function mapErrors(
  json: JsonObject,
  keys: readonly string[],
  path: string,
  errors: FieldError[],
): void {
  const at = `${path}.x-kubernetes-list-map-keys`;
  if (keys.length === 0) {
    errors.push(requiredField(at, "must not be empty if x-kubernetes-list-type is map"));
  }
  const given = getOwn(json, "items") ?? null;
  if (given === null) {
    const detail = "must have a schema if x-kubernetes-list-type is map";
    errors.push(requiredField(`${path}.items`, detail));
  } else if (isJsonArray(given)) {
    const detail = "must only have a single schema if x-kubernetes-list-type is map";
    errors.push(invalidField(`${path}.items`, given, detail));
  }
  const items = presentObjectAt(json, "items");
  if (items === undefined) return;
  const type = textAt(items, "type");
  if (type !== "object") {
    const detail = "must be object if parent array's x-kubernetes-list-type is map";
    errors.push(invalidField(`${path}.items.type`, type, detail));
    return;
  }
  const properties = new Map(schemasIn(items, "properties"));
  const seen = new Set<string>();
  for (const key of keys) {
    const property = properties.get(key);
    if (property === undefined) {
      errors.push(invalidField(at, keys, "entries must all be names of item properties"));
    } else if (["array", "object"].includes(textAt(property, "type"))) {
      const detail = "must be a scalar type if parent array's x-kubernetes-list-type is map";
      errors.push(invalidField(`${path}.items.properties[${key}].type`, type, detail));
    }
    if (seen.has(key)) errors.push(invalidField(at, keys, "must not contain duplicate entries"));
    seen.add(key);
  }
}

/** Keys are always there and never null, or two items without would be the same. */
function nullErrors(
  items: JsonObject,
  listType: string,
  keys: readonly string[],
  path: string,
  errors: FieldError[],
): void {
  if (isTrueAt(items, "nullable")) {
    const detail = `cannot be nullable when x-kubernetes-list-type is ${listType}`;
    errors.push(forbiddenField(`${path}.items.nullable`, detail));
  }
  if (listType !== "map") return;
  const properties = new Map(schemasIn(items, "properties"));
  const required = new Set(textsAt(items, "required"));
  const reason = "this property is in x-kubernetes-list-map-keys, so it";
  for (const key of keys) {
    const property = properties.get(key);
    if (property === undefined) continue;
    const at = `${path}.items.properties[${key}]`;
    if (!required.has(key) && !isSet(property, "default")) {
      const detail = `${reason} must have a default or be a required property`;
      errors.push(requiredField(`${at}.default`, detail));
    }
    if (isTrueAt(property, "nullable")) {
      errors.push(forbiddenField(`${at}.nullable`, `${reason} cannot be nullable`));
    }
  }
}

// The fields of a value. `presentFields` are all of them, containers included: what a writer owns
// who created the value. `appliedFields` are those an applied configuration has an opinion about:
// leaves, items and keys, but not the containers that the schema declares anyway.

import { isJsonArray, isJsonObject } from "../json.ts";
import type { Json, JsonObject } from "../json.ts";
import { fieldElement } from "./field-element.ts";
import { emptySet, isEmptySet, leaf, nodeOf } from "./field-set.ts";
import type { FieldSet, MutableFieldSet } from "./field-set.ts";
import { itemElement, itemElements } from "./list-items.ts";
import { deducedType } from "./type-schema.ts";
import type { ListType, MapType, TypeNode } from "./type-schema.ts";

/** The node of a value that is there in full; it is a member and so is everything below it. */
export function presentFields(value: Json, type: TypeNode): FieldSet {
  if (typeof value !== "object" || value === null) return leaf;
  if (isJsonArray(value)) {
    const { list } = type;
    if (list === undefined || list.kind === "atomic" || value.length === 0) return leaf;
    return presentItems(value, list);
  }
  const { map } = type;
  if (map === undefined || map.isAtomic || !isJsonObject(value)) return leaf;
  const keys = sortedKeys(value);
  if (keys.length === 0) return leaf;
  const node: MutableFieldSet = { ".": leaf };
  addPresentKeys(node, value, keys, map, none);
  return node;
}

/** The elements of an object's keys, without a node of its own; `skip` keys are left out. */
export function presentKeys(value: JsonObject, map: MapType, skip: ReadonlySet<string>): FieldSet {
  const node: MutableFieldSet = {};
  addPresentKeys(node, value, sortedKeys(value), map, skip);
  return node;
}

/** The set of fields that an applied configuration mentions. */
export function appliedFields(value: Json, type: TypeNode): FieldSet {
  const node = appliedNode(value, type, false);
  return node === undefined || isEmptySet(node) ? emptySet : node;
}

const none: ReadonlySet<string> = new Set();

function addPresentKeys(
  node: MutableFieldSet,
  value: JsonObject,
  keys: readonly string[],
  map: MapType,
  skip: ReadonlySet<string>,
): void {
  for (const key of keys) {
    if (skip.has(key)) continue;
    const field = map.fields.get(key);
    const child = value[key] ?? null;
    if (field !== undefined) node[field.element] = presentFields(child, field.type);
    else node[fieldElement(key)] = presentFields(child, map.element ?? deducedType);
  }
}

function presentItems(items: readonly Json[], list: ListType): FieldSet {
  const elements = itemElements(list, items);
  if (elements === undefined) return leaf;
  const node: MutableFieldSet = { ".": leaf };
  for (const [index, element] of elements.entries()) {
    const isRepeated = node[element] !== undefined;
    node[element] = isRepeated ? leaf : presentFields(items[index] ?? null, list.item);
  }
  return node;
}

function appliedNode(value: Json, type: TypeNode, isIncluded: boolean): FieldSet | undefined {
  if (value === null) return leaf;
  if (typeof value !== "object") return type.scalar === undefined ? memberIf(isIncluded) : leaf;
  if (isJsonArray(value)) {
    const { list } = type;
    if (list === undefined) return type.scalar === undefined ? memberIf(isIncluded) : leaf;
    if (list.kind === "atomic") return leaf;
    return nodeOf(isIncluded, appliedItems(value, list));
  }
  const { map } = type;
  if (map === undefined) return type.scalar === undefined ? memberIf(isIncluded) : leaf;
  if (map.isAtomic || !isJsonObject(value)) return leaf;
  const keys = sortedKeys(value);
  if (keys.length === 0) return leaf;
  const below: MutableFieldSet = {};
  for (const key of keys) {
    const field = map.fields.get(key);
    const childType = field?.type ?? map.element ?? deducedType;
    const node = appliedNode(value[key] ?? null, childType, field === undefined);
    if (node !== undefined) below[field?.element ?? fieldElement(key)] = node;
  }
  return nodeOf(isIncluded, below);
}

function appliedItems(items: readonly Json[], list: ListType): FieldSet {
  const node: MutableFieldSet = {};
  for (const item of items) {
    const element = itemElement(list, item);
    if (element === undefined) continue;
    const isRepeated = node[element] !== undefined;
    node[element] = isRepeated ? leaf : (appliedNode(item, list.item, true) ?? leaf);
  }
  return node;
}

function memberIf(isIncluded: boolean): FieldSet | undefined {
  return isIncluded ? leaf : undefined;
}

function sortedKeys(value: JsonObject): string[] {
  const keys = Object.keys(value);
  for (let i = 1; i < keys.length; i++) {
    const before = keys[i - 1];
    const key = keys[i];
    if (before !== undefined && key !== undefined && before > key) return keys.sort();
  }
  return keys;
}

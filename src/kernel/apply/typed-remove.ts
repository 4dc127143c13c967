// Taking fields out of a value, or keeping nothing but them, by a set of paths; and the two
// adjustments that sets need before they can be compared with a value: the declared containers made
// members, and the owners of a container that has become atomic made owners of the whole.

import { getOwn, isJsonArray, isJsonObject, setOwn } from "../json.ts";
import type { Json, JsonObject, MutableJsonObject } from "../json.ts";
import { fieldElement } from "./field-element.ts";
import { isEmptySet, isMember, leaf, nodeOf } from "./field-set.ts";
import type { FieldSet, MutableFieldSet } from "./field-set.ts";
import { itemElement } from "./list-items.ts";
import { deducedType, keyType } from "./type-schema.ts";
import type { ListType, MapType, TypeNode } from "./type-schema.ts";

/** The value without the items of the set; a container that loses all its items becomes null. */
export function removeItems(value: Json, type: TypeNode, set: FieldSet): Json {
  if (isJsonArray(value)) {
    const { list } = type;
    if (list === undefined) return type.scalar === undefined ? null : value;
    if (list.kind === "atomic" || value.length === 0) return null;
    return removedFromList(value, list, set);
  }
  if (isJsonObject(value)) {
    const { map } = type;
    if (map === undefined) return type.scalar === undefined ? null : value;
    return map.isAtomic ? null : removedFromMap(value, map, set);
  }
  return value;
}

/** The value with nothing but the items of the set. */
export function extractItems(value: Json, type: TypeNode, set: FieldSet): Json {
  if (isJsonArray(value) && type.list !== undefined && type.list.kind !== "atomic") {
    return extractedFromList(value, type.list, set);
  }
  if (isJsonObject(value) && type.map !== undefined && !type.map.isAtomic) {
    return extractedFromMap(value, type.map, set);
  }
  return value;
}

/** The set in which declared fields with members below them are members too. */
export function withNamedFields(set: FieldSet, type: TypeNode | undefined): FieldSet {
  const out: MutableFieldSet = {};
  for (const element in set) {
    const node = set[element];
    if (node === undefined || element === ".") continue;
    const isDeclared = element.startsWith("f:") && type?.map?.fields.has(element.slice(2)) === true;
    const below = withNamedFields(node, typeAt(type, element));
    const named = nodeOf(isDeclared || isMember(node), below);
    if (named !== undefined) out[element] = named;
  }
  return out;
}

/** The set after its schema made containers atomic; the same set when none of its own is. */
export function withAtomicContainers(set: FieldSet, type: TypeNode): FieldSet {
  let out: MutableFieldSet | undefined;
  for (const element in set) {
    const node = set[element];
    if (node === undefined || element === "." || isEmptySet(node)) continue;
    const child = knownTypeAt(type, element);
    if (child === undefined) continue;
    const kept = isOneValue(child) ? leaf : withAtomicContainers(node, child);
    if (kept === node) continue;
    out ??= { ...set };
    out[element] = kept;
  }
  return out ?? set;
}

function removedFromList(items: readonly Json[], list: ListType, set: FieldSet): Json {
  const kept: Json[] = [];
  for (const item of items) {
    const element = itemElement(list, item);
    const node = element === undefined ? undefined : set[element];
    if (node === undefined) kept.push(item);
    else if (!isMember(node)) kept.push(removeItems(item, list.item, node));
  }
  return kept.length === 0 ? null : kept;
}

function removedFromMap(value: JsonObject, map: MapType, set: FieldSet): Json {
  const kept: MutableJsonObject = {};
  let isKept = false;
  for (const key of Object.keys(value)) {
    const field = map.fields.get(key);
    const child = value[key] ?? null;
    const node = set[field?.element ?? fieldElement(key)];
    if (node !== undefined && isMember(node)) continue;
    isKept = true;
    const type = field?.type ?? map.element ?? deducedType;
    setOwn(kept, key, node === undefined ? child : removeItems(child, type, node));
  }
  return isKept ? kept : null;
}

function extractedFromList(items: readonly Json[], list: ListType, set: FieldSet): Json {
  if (items.length === 0) return items;
  const kept: Json[] = [];
  for (const item of items) {
    const element = itemElement(list, item);
    const node = element === undefined ? undefined : set[element];
    if (node === undefined) continue;
    kept.push(isEmptySet(node) ? item : extractItems(item, list.item, node));
  }
  return kept.length === 0 ? null : kept;
}

function extractedFromMap(value: JsonObject, map: MapType, set: FieldSet): Json {
  if (Object.keys(value).length === 0) return value;
  const kept: MutableJsonObject = {};
  for (const key of Object.keys(value)) {
    const node = set[fieldElement(key)];
    if (node === undefined) continue;
    const child = getOwn(value, key) ?? null;
    const type = keyType(map, key) ?? deducedType;
    setOwn(kept, key, isEmptySet(node) ? child : extractItems(child, type, node));
  }
  return Object.keys(kept).length === 0 ? null : kept;
}

function typeAt(type: TypeNode | undefined, element: string): TypeNode | undefined {
  if (type === undefined) return undefined;
  if (element.startsWith("f:")) {
    return type.map === undefined ? undefined : keyType(type.map, element.slice(2));
  }
  return element.startsWith("k:") ? type.list?.item : undefined;
}

/** A type with several shapes is read as a map, then as a scalar; deduced ones say nothing. */
function knownTypeAt(type: TypeNode, element: string): TypeNode | undefined {
  const { map } = type;
  if (map !== undefined) {
    const isDeduced = map.fields.size === 0 && map.element === deducedType;
    return isDeduced ? undefined : typeAt(type, element);
  }
  return type.scalar === undefined ? type.list?.item : undefined;
}

function isOneValue(type: TypeNode): boolean {
  if (type.map !== undefined) return type.map.isAtomic;
  return type.scalar === undefined && type.list?.kind === "atomic";
}

// What changed between two values of a type, as three sets of fields. A container that came or went
// is in the set together with everything below it; an empty container or null is one value. Values
// that do not fit their type are compared as one value instead of being refused: the owner of a
// field must be known even where the schema has changed under it.

import { equalJson, isJsonArray, isJsonObject } from "../json.ts";
import type { Json, JsonObject } from "../json.ts";
import { fieldElement } from "./field-element.ts";
import { emptySet, leaf, recursiveDifference, union } from "./field-set.ts";
import type { FieldSet, MutableFieldSet } from "./field-set.ts";
import { itemElements } from "./list-items.ts";
import { presentFields } from "./typed-fields.ts";
import { deducedType, objectMetaType } from "./type-schema.ts";
import type { ListType, MapType, TypeNode } from "./type-schema.ts";

export interface Comparison {
  readonly added: FieldSet;
  readonly modified: FieldSet;
  readonly removed: FieldSet;
}

export const unchanged: Comparison = Object.freeze({
  added: emptySet,
  modified: emptySet,
  removed: emptySet,
});

/** Fields that nobody owns: they identify the object, or the server alone writes them. */
export const untrackedKeys: ReadonlySet<string> = new Set(["apiVersion", "kind", "metadata"]);
export const untrackedMetadata: ReadonlySet<string> = new Set([
  "name",
  "namespace",
  "creationTimestamp",
  "selfLink",
  "uid",
  "clusterName",
  "generation",
  "managedFields",
  "resourceVersion",
]);

/** Compares whole objects; untracked fields are left out of the result. */
export function compareObjects(old: JsonObject, next: JsonObject, type: TypeNode): Comparison {
  const map = type.map;
  if (map === undefined || old === next) return unchanged;
  const change = newChange();
  compareKeys(change, { old, next, map, skip: untrackedKeys });
  const oldMeta = old["metadata"];
  const nextMeta = next["metadata"];
  if (oldMeta !== nextMeta && objectMetaType.map !== undefined) {
    const meta = newChange();
    compareKeys(meta, {
      old: isJsonObject(oldMeta) ? oldMeta : undefined,
      next: isJsonObject(nextMeta) ? nextMeta : undefined,
      map: objectMetaType.map,
      skip: untrackedMetadata,
    });
    attach(change, "f:metadata", meta);
  }
  return finished(change);
}

export function compareValues(
  old: Json | undefined,
  next: Json | undefined,
  type: TypeNode,
): Comparison {
  const change = changeOf(old, next, type);
  return change === undefined ? unchanged : finished(change);
}

/** The comparison without these fields and all that is below them. */
export function withoutFields(comparison: Comparison, fields: FieldSet): Comparison {
  if (comparison === unchanged) return unchanged;
  return {
    added: recursiveDifference(comparison.added, fields),
    modified: recursiveDifference(comparison.modified, fields),
    removed: recursiveDifference(comparison.removed, fields),
  };
}

/** The nodes of one place in the three sets; absent where nothing of the kind happened. */
interface Change {
  added: MutableFieldSet | FieldSet | undefined;
  modified: MutableFieldSet | FieldSet | undefined;
  removed: MutableFieldSet | FieldSet | undefined;
}

function newChange(): Change {
  return { added: undefined, modified: undefined, removed: undefined };
}

function finished(change: Change): Comparison {
  const { added, modified, removed } = change;
  if (added === undefined && modified === undefined && removed === undefined) return unchanged;
  return {
    added: added ?? emptySet,
    modified: modified ?? emptySet,
    removed: removed ?? emptySet,
  };
}

function attach(parent: Change, element: string, child: Change | undefined): void {
  if (child === undefined) return;
  const { added, modified, removed } = child;
  if (added !== undefined) parent.added = placed(parent.added, element, added);
  if (modified !== undefined) parent.modified = placed(parent.modified, element, modified);
  if (removed !== undefined) parent.removed = placed(parent.removed, element, removed);
}

function placed(set: MutableFieldSet | FieldSet | undefined, element: string, node: FieldSet) {
  const out: MutableFieldSet = set ?? {};
  out[element] = node;
  return out;
}

function changeOf(
  old: Json | undefined,
  next: Json | undefined,
  type: TypeNode,
): Change | undefined {
  if (old === next) return undefined;
  if (old === undefined || next === undefined) return presence(old, next, type);
  const before = shapeOf(old, type);
  const after = shapeOf(next, type);
  if (before === after) return shapeChange(old, next, type, after);
  const first = shapeChange(old, next, type, before);
  const second = shapeChange(old, next, type, after);
  if (first === undefined || second === undefined) return first ?? second;
  return {
    added: joined(first.added, second.added),
    modified: joined(first.modified, second.modified),
    removed: joined(first.removed, second.removed),
  };
}

function presence(old: Json | undefined, next: Json | undefined, type: TypeNode): Change {
  const change = newChange();
  if (next !== undefined) change.added = presentFields(next, type);
  if (old !== undefined) change.removed = presentFields(old, type);
  return change;
}

function joined(a: FieldSet | undefined, b: FieldSet | undefined): FieldSet | undefined {
  return a === undefined || b === undefined ? (a ?? b) : union(a, b);
}

type Shape = "map" | "list" | "scalar" | "open";

/** Which of the shapes of a type a value has; null and what does not fit leave it open. */
function shapeOf(value: Json, type: TypeNode): Shape {
  if (value === null) return "open";
  if (isJsonArray(value)) return type.list === undefined ? "open" : "list";
  if (typeof value === "object") return type.map === undefined ? "open" : "map";
  return type.scalar === undefined ? "open" : "scalar";
}

function shapeChange(old: Json, next: Json, type: TypeNode, shape: Shape): Change | undefined {
  const { map, list } = type;
  const isMap = shape === "map" || shape === "open";
  if (isMap && map !== undefined) {
    if (map.isAtomic || (isHollow(old) && isHollow(next))) return leafChange(old, next);
    const change = newChange();
    compareKeys(change, {
      old: isJsonObject(old) ? old : undefined,
      next: isJsonObject(next) ? next : undefined,
      map,
      skip: none,
    });
    return isSame(change) ? undefined : change;
  }
  const isList = shape === "list" || (shape === "open" && type.scalar === undefined);
  if (isList && list !== undefined) {
    const before = isJsonArray(old) ? old : [];
    const after = isJsonArray(next) ? next : [];
    const isEmpty = before.length === 0 && after.length === 0;
    if (list.kind === "atomic" || isEmpty) return leafChange(old, next);
    return equalJson(old, next) ? undefined : itemsChange(before, after, list);
  }
  return leafChange(old, next);
}

const none: ReadonlySet<string> = new Set();

function isHollow(value: Json): boolean {
  if (!isJsonObject(value)) return true;
  for (const _ in value) return false;
  return true;
}

function isSame(change: Change): boolean {
  const { added, modified, removed } = change;
  return added === undefined && modified === undefined && removed === undefined;
}

function leafChange(old: Json, next: Json): Change | undefined {
  if (equalJson(old, next)) return undefined;
  return { added: undefined, modified: leaf, removed: undefined };
}

interface KeyComparison {
  readonly old: JsonObject | undefined;
  readonly next: JsonObject | undefined;
  readonly map: MapType;
  readonly skip: ReadonlySet<string>;
}

function compareKeys(change: Change, { old, next, map, skip }: KeyComparison): void {
  if (next !== undefined) {
    for (const key of Object.keys(next)) {
      if (skip.has(key)) continue;
      const after = next[key];
      const before = old !== undefined && Object.hasOwn(old, key) ? old[key] : undefined;
      if (before !== after) compareKey(change, { key, before, after, map });
    }
  }
  if (old === undefined) return;
  for (const key of Object.keys(old)) {
    if (skip.has(key) || (next !== undefined && Object.hasOwn(next, key))) continue;
    compareKey(change, { key, before: old[key], after: undefined, map });
  }
}

interface OneKey {
  readonly key: string;
  readonly before: Json | undefined;
  readonly after: Json | undefined;
  readonly map: MapType;
}

function compareKey(change: Change, { key, before, after, map }: OneKey): void {
  const field = map.fields.get(key);
  const child = changeOf(before, after, field?.type ?? map.element ?? deducedType);
  if (child !== undefined) attach(change, field?.element ?? fieldElement(key), child);
}

function itemsChange(
  old: readonly Json[],
  next: readonly Json[],
  list: ListType,
): Change | undefined {
  const before = groupedItems(old, list);
  const after = groupedItems(next, list);
  if (before === undefined || after === undefined) return leafChange(old, next);
  const change = newChange();
  for (const element of new Set([...before.keys(), ...after.keys()])) {
    const left = before.get(element) ?? [];
    const right = after.get(element) ?? [];
    attach(change, element, itemChange(left, right, list));
  }
  return isSame(change) ? undefined : change;
}

/** Items that share an element are one value; a value that becomes several is replaced. */
function itemChange(
  left: readonly Json[],
  right: readonly Json[],
  list: ListType,
): Change | undefined {
  if (left.length <= 1 && right.length <= 1) return changeOf(left[0], right[0], list.item);
  if (left.length > 1 && right.length > 1) return leafChange(left, right);
  const change = presence(undefined, undefined, list.item);
  if (left.length > 1) {
    if (right[0] !== undefined) change.added = presentFields(right[0], list.item);
    change.removed = leaf;
  } else {
    if (left[0] !== undefined) change.removed = presentFields(left[0], list.item);
    change.added = leaf;
  }
  return change;
}

function groupedItems(
  items: readonly Json[],
  list: ListType,
): ReadonlyMap<string, Json[]> | undefined {
  const elements = itemElements(list, items);
  if (elements === undefined) return undefined;
  const groups = new Map<string, Json[]>();
  for (const [index, element] of elements.entries()) {
    const item = items[index] ?? null;
    const group = groups.get(element);
    if (group === undefined) groups.set(element, [item]);
    else group.push(item);
  }
  return groups;
}

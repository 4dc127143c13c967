// The lists of a strategic merge patch. Lists of scalars are joined without duplicates, and objects
// are merged by their merge key. In the result, the items of the patch have the order of the patch,
// and the other items keep their positions relative to them where possible.

import { appendAll } from "./append.ts";
import { goText, goType } from "./go-text.ts";
import { getOwn, isJsonArray, isJsonObject } from "./json.ts";
import type { Json, JsonObject } from "./json.ts";

/** Why a patch cannot be applied, with the HTTP status that Kubernetes gives it. */
export class PatchRefusal extends Error {
  readonly status: 400 | 422 | 500;
  /** The message without the values that it quotes. */
  readonly plain: string;

  constructor(status: 400 | 422 | 500, message: string, plain = message) {
    super(message);
    this.status = status;
    this.plain = plain;
  }
}

export function unknownDirective(asked: Json, map: Json): PatchRefusal {
  const message = `unknown patch type: ${goText(asked)} in map: ${goText(map)}`;
  return new PatchRefusal(500, message, "unknown patch type in a map");
}

export interface ListMerge {
  /** False when the list of the patch replaces the other. */
  readonly isMerged: boolean;
  /** The items of the patch are to be deleted from a list of scalars. */
  readonly isDeletion: boolean;
  /** Empty for lists of scalars. */
  readonly mergeKey: string;
  /** What the items are called in messages. */
  readonly itemName: string;
  readonly mergeItems: (original: JsonObject, patch: JsonObject) => JsonObject;
}

export function mergedList(
  original: readonly Json[],
  patch: readonly Json[],
  merge: ListMerge,
): readonly Json[] {
  if (!merge.isMerged && !merge.isDeletion) return patch;
  if (original.length === 0 && patch.length === 0) return original;
  if (!isObjectList(original, patch)) {
    if (merge.isDeletion) return withoutItems(original, patch);
    return ordered(unique([...original, ...patch]), patch, original, merge.mergeKey);
  }
  const { mergeKey } = merge;
  if (mergeKey === "") {
    throw new PatchRefusal(500, `cannot merge lists without merge key for ${merge.itemName}`);
  }
  const { base, items } = withoutSpecialItems(original, patch, mergeKey);
  const merged = mergedObjects(base, items, merge);
  return ordered(merged, items, base, mergeKey);
}

/** Merges, then orders by the order that the patch asks for. */
export function mergedInOrder(
  original: readonly Json[],
  patch: readonly Json[],
  order: readonly Json[],
  merge: ListMerge,
): readonly Json[] {
  const merged = mergedList(original, patch, merge);
  return ordered(merged, order, serverOrder(original, patch, merge), merge.mergeKey);
}

/** Orders a list that is not merged with another. */
export function inOrder(
  items: readonly Json[],
  order: readonly Json[],
  { mergeKey }: ListMerge,
): readonly Json[] {
  return ordered(items, order, items, mergeKey);
}

/** Items that replace deleted ones take their positions, because clients rely on this order. */
function serverOrder(
  original: readonly Json[],
  patch: readonly Json[],
  { isMerged, mergeKey }: ListMerge,
): readonly Json[] {
  if (!isMerged || mergeKey === "" || !isObjectList(original, patch)) return original;
  const { base, items } = withoutSpecialItems(original, patch, mergeKey);
  const known = positions(base, mergeKey);
  const added = items.filter((item) => !known.has(identity(item, mergeKey)));
  return [...base, ...added].slice(0, original.length);
}

/** The items of a patch must be in its $setElementOrder list, and in the same order. */
export function checkedOrder(
  patch: readonly Json[],
  order: readonly Json[],
  mergeKey: string,
): void {
  if (patch.length === 0 || order.length === 0) return;
  const items = mergeKey === "" ? patch : patch.filter((item) => !isDeleted(asObject(item)));
  let next = 0;
  for (const wanted of order) {
    while (next < items.length && hasDirective(items[next] ?? null)) next++;
    const item = items[next];
    if (item === undefined) return;
    if (identity(item, mergeKey) === identity(wanted, mergeKey)) next++;
  }
  if (next >= items.length) return;
  const message =
    `The order in patch list:\n${goText(patch)}\n doesn't match $setElementOrder list:\n` +
    `${goText(order)}\n`;
  const plain = "The order in the patch list doesn't match the $setElementOrder list";
  throw new PatchRefusal(500, message, plain);
}

function hasDirective(item: Json): boolean {
  return isJsonObject(item) && Object.hasOwn(item, "$patch");
}

function isDeleted(item: JsonObject): boolean {
  return getOwn(item, "$patch") === "delete";
}

/** Whether the items are objects; lists of lists and mixed lists cannot be merged. */
function isObjectList(...lists: readonly (readonly Json[])[]): boolean {
  const all = lists.flat();
  const [first = null] = all;
  if (isJsonArray(first)) throw new PatchRefusal(422, "lists of lists are not supported");
  const type = goType(first);
  if (!all.every((item) => goType(item) === type)) {
    const text = lists.map(goText).join(" ");
    const what = "list element types are not identical";
    throw new PatchRefusal(500, `${what}: [${text}]`, what);
  }
  return isJsonObject(first);
}

/** Obeys the items that carry a directive instead of a value. */
function withoutSpecialItems(
  original: readonly Json[],
  patch: readonly Json[],
  mergeKey: string,
): { readonly base: readonly Json[]; readonly items: readonly Json[] } {
  const deleted = new Set<Json>();
  let isReplaced = false;
  const items: Json[] = [];
  for (const item of patch) {
    const object = asObject(item);
    const asked = getOwn(object, "$patch");
    if (asked === undefined) items.push(item);
    else if (asked === "delete") deleted.add(keyOf(object, mergeKey));
    else if (asked === "replace") isReplaced = true;
    else if (asked === "merge") {
      throw new PatchRefusal(500, "merging lists cannot yet be specified in the patch");
    } else {
      throw unknownDirective(asked, item);
    }
  }
  if (isReplaced) return { base: items, items: [] };
  const isKept = (item: Json): boolean => {
    const key = getOwn(asObject(item), mergeKey);
    return key === undefined || !deleted.has(key);
  };
  return { base: deleted.size === 0 ? original : original.filter(isKept), items };
}

function mergedObjects(
  base: readonly Json[],
  items: readonly Json[],
  { mergeKey, mergeItems }: ListMerge,
): readonly Json[] {
  const merged = [...base];
  const index = new Map<Json, number>();
  for (const [position, item] of base.entries()) {
    const key = getOwn(asObject(item), mergeKey);
    if (key !== undefined && !index.has(key)) index.set(key, position);
  }
  for (const item of items) {
    const object = asObject(item);
    const key = keyOf(object, mergeKey);
    const position = index.get(key);
    if (position === undefined) index.set(key, merged.push(item) - 1);
    else merged[position] = mergeItems(asObject(merged[position] ?? null), object);
  }
  return merged;
}

/** The items that `order` knows as it has them, the others where `live` puts them. */
function ordered(
  merged: readonly Json[],
  order: readonly Json[],
  live: readonly Json[],
  mergeKey: string,
): readonly Json[] {
  const wanted = positions(order, mergeKey);
  const known = positions(live, mergeKey);
  const rank = (index: ReadonlyMap<Json, number>, item: Json): number =>
    index.get(identity(item, mergeKey)) ?? -1;
  const ours = merged.filter((item) => rank(wanted, item) >= 0);
  const others = merged.filter((item) => rank(wanted, item) < 0);
  ours.sort((a, b) => rank(wanted, a) - rank(wanted, b));
  others.sort((a, b) => rank(known, a) - rank(known, b));
  const out: Json[] = [];
  let next = 0;
  for (const item of ours) {
    const place = rank(known, item);
    for (let other = others[next]; other !== undefined; other = others[next]) {
      const otherPlace = rank(known, other);
      if (place < 0 || otherPlace < 0 || otherPlace >= place) break;
      out.push(other);
      next++;
    }
    out.push(item);
  }
  appendAll(out, others.slice(next));
  return out;
}

function positions(items: readonly Json[], mergeKey: string): ReadonlyMap<Json, number> {
  const index = new Map<Json, number>();
  for (const [position, item] of items.entries()) {
    const key = identity(item, mergeKey);
    if (!index.has(key)) index.set(key, position);
  }
  return index;
}

function identity(item: Json, mergeKey: string): Json {
  return mergeKey === "" ? item : keyOf(asObject(item), mergeKey);
}

function keyOf(item: JsonObject, mergeKey: string): Json {
  const key = getOwn(item, mergeKey);
  if (key !== undefined) return key;
  const text = goText(item);
  const what = `does not contain declared merge key: ${mergeKey}`;
  throw new PatchRefusal(500, `map: ${text} ${what}`, `a map ${what}`);
}

function asObject(item: Json): JsonObject {
  if (isJsonObject(item)) return item;
  const message = `expected a map[string]interface {}, but received a ${goType(item)}`;
  throw new PatchRefusal(500, message);
}

function withoutItems(items: readonly Json[], others: readonly Json[]): readonly Json[] {
  const gone = new Set(others);
  return items.filter((item) => !gone.has(item));
}

function unique(items: readonly Json[]): readonly Json[] {
  return [...new Set(items)];
}

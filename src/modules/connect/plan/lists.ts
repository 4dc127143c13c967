// Lists whose elements are told apart by what is in them, seen as maps: by a key of some of their
// fields, or by the whole element where the list is a set. What an element is called in a path is
// made of its key, so that a path means the same element wherever it stands.

import { canonicalJson } from "../../../kernel/canonical-json.ts";
import { isJsonArray } from "../../../kernel/json.ts";
import type { Json } from "../../../kernel/json.ts";
import { getAt, parsePointer } from "../../../kernel/pointer.ts";

export type Keyed = ReadonlyMap<string, Json>;

/** Undefined when it is no list, or its elements have no keys or the same ones. */
export function keyedList(value: Json | undefined, keys: readonly string[]): Keyed | undefined {
  if (value === undefined) return new Map();
  if (!isJsonArray(value)) return undefined;
  const pointers = keys.map(parsePointer);
  const found = new Map<string, Json>();
  for (const element of value) {
    const parts = pointers.map((pointer) => getAt(element, pointer));
    if (parts.includes(undefined)) return undefined;
    const key = keys.length === 0 ? elementText(element) : parts.map(elementText).join(",");
    if (found.has(key)) return undefined;
    found.set(key, element);
  }
  return found;
}

function elementText(value: Json | undefined): string {
  return typeof value === "string" ? value : canonicalJson(value ?? null);
}

// How an item of a merged list is told from its siblings: an item of a set by its value, an item
// of a keyed list by its key fields, with the schema's defaults for keys that are left out. An item
// that cannot be told apart has no element, and the problem says why in the API's words.

import { getOwn, isJsonArray, isJsonObject } from "../json.ts";
import type { Json } from "../json.ts";
import { keyElement, valueElement } from "./field-element.ts";
import type { KeyPair } from "./field-element.ts";
import type { ListType } from "./type-schema.ts";

export function itemElement(list: ListType, item: Json): string | undefined {
  if (list.kind === "set") return typeof item === "object" ? undefined : valueElement(item);
  if (!isJsonObject(item)) return undefined;
  const pairs: KeyPair[] = [];
  for (const name of list.keys) {
    const value = getOwn(item, name) ?? list.item.map?.fields.get(name)?.default;
    if (value !== undefined) pairs.push([name, value]);
  }
  return pairs.length === 0 ? undefined : keyElement(pairs);
}

/** Why an item has no element. */
export function itemProblem(list: ListType, item: Json): string {
  if (list.kind === "set") {
    if (isJsonObject(item)) return "associative list without keys has an element that's a map type";
    if (isJsonArray(item)) return "not supported: associative list with lists as elements";
    return "associative list without keys has an element that's an explicit null";
  }
  if (item === null) return "associative list with keys may not have a null element";
  if (!isJsonObject(item)) return "associative list with keys may not have non-map elements";
  const names = list.keys.map((name) => JSON.stringify(name)).join(" ");
  return (
    `associative list with keys has an element that omits all key fields [${names}] ` +
    "(and doesn't have default values for any key fields)"
  );
}

/** The elements of all items in order, or undefined when one of them has none. */
export function itemElements(
  list: ListType,
  items: readonly Json[],
): readonly string[] | undefined {
  const elements: string[] = [];
  for (const item of items) {
    const element = itemElement(list, item);
    if (element === undefined) return undefined;
    elements.push(element);
  }
  return elements;
}

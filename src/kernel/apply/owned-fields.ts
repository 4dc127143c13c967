// How many fields of a document have owners of their own. Every one is an entry of managedFields,
// which is compared, sorted and stored with each write, so their number is limited. The content of
// an atomic list or map counts as one field, however large it is.

import { SetpointError } from "../errors.ts";
import { isJsonArray, isJsonObject } from "../json.ts";
import type { Json, JsonObject } from "../json.ts";
import { limits } from "../limits.ts";
import { deducedType } from "./type-schema.ts";
import type { TypeNode } from "./type-schema.ts";

/**
 * Throws request.too_large for a document with too many owned fields. A document that was stored
 * with too many can still be changed.
 */
export function checkOwnedFields(
  next: JsonObject,
  live: JsonObject | undefined,
  type: TypeNode,
): void {
  const max = limits.maxOwnedFields;
  if (countFields(next, type, max) <= max) return;
  if (live !== undefined && countFields(live, type, max) > max) return;
  throw tooMany(`the document has more than ${max} fields that field managers can own`);
}

/**
 * Throws request.too_large for a list of managers that own too many fields together: a field can
 * have several owners. A list that was stored with too many can still be changed.
 */
export function checkManagers(managers: Json | undefined, stored: Json | undefined): void {
  const max = maxOwners * limits.maxOwnedFields;
  if (managers === stored || countKeys(managers, max) <= max) return;
  if (countKeys(stored, max) > max) return;
  throw tooMany(`metadata.managedFields has more than ${max} entries`);
}

/** Owners that a field of the largest document can have. */
const maxOwners = 2;

function tooMany(message: string): SetpointError {
  return new SetpointError("request.too_large", message, {
    suggestion: "split the document into several resources, or declare its lists as atomic",
  });
}

/** Stops counting beyond `max`. */
function countFields(value: Json, type: TypeNode, max: number): number {
  if (typeof value !== "object" || value === null) return 1;
  if (isJsonArray(value)) {
    const { list } = type;
    if (list === undefined || list.kind === "atomic") return 1;
    return sum(value, max, (item, left) => countFields(item, list.item, left));
  }
  const { map } = type;
  if (map === undefined || map.isAtomic || !isJsonObject(value)) return 1;
  return sum(Object.keys(value), max, (key, left) => {
    const inner = value[key] ?? null;
    return countFields(inner, map.fields.get(key)?.type ?? map.element ?? deducedType, left);
  });
}

function countKeys(value: Json | undefined, max: number): number {
  if (isJsonArray(value)) return sum(value, max, countKeys);
  if (!isJsonObject(value)) return 1;
  return sum(Object.keys(value), max, (key, left) => countKeys(value[key], left));
}

/** One for the container, and what its parts have. */
function sum<T>(
  parts: readonly T[],
  max: number,
  count: (part: T, left: number) => number,
): number {
  let all = 1;
  for (const part of parts) {
    all += count(part, max - all);
    if (all > max) return all;
  }
  return all;
}

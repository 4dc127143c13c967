// The form in which `systemData` is stored: while the creator is also the last one who changed the
// resource, the `lastModified*` fields are left out.

import { getOwn } from "../../kernel/json.ts";
import type { JsonObject } from "../../kernel/json.ts";
import { withoutKey } from "../../kernel/without-key.ts";

export function storedSystemData(whole: JsonObject): JsonObject {
  const isNew = pairs.every(([made, changed]) => getOwn(whole, made) === getOwn(whole, changed));
  return isNew ? pairs.reduce((data: JsonObject, [, key]) => withoutKey(data, key), whole) : whole;
}

export function wholeSystemData(stored: JsonObject): JsonObject {
  if (pairs.some(([, changed]) => Object.hasOwn(stored, changed))) return stored;
  const changed = pairs.flatMap(([made, key]) => {
    const value = getOwn(stored, made);
    return value === undefined ? [] : [[key, value] as const];
  });
  return { ...stored, ...Object.fromEntries(changed) };
}

const pairs = [
  ["createdBy", "lastModifiedBy"],
  ["createdByType", "lastModifiedByType"],
  ["createdAt", "lastModifiedAt"],
] as const;

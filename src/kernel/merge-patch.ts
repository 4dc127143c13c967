// JSON Merge Patch (RFC 7396): objects merge key by key, null removes, anything else replaces.
// Inputs are never changed; the result shares what it can with them. A patch made by
// `makeMergePatch` turns the first document into the second whenever the second has no null
// inside an object, since a merge patch has no way to write one.

import { equalJson, getOwn, isJsonObject, setOwn } from "./json.ts";
import type { Json, MutableJsonObject } from "./json.ts";

export function applyMergePatch(target: Json | undefined, patch: Json): Json {
  if (!isJsonObject(patch)) return patch;
  const result: MutableJsonObject = isJsonObject(target) ? { ...target } : {};
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete result[key];
    else setOwn(result, key, applyMergePatch(getOwn(result, key), value));
  }
  return result;
}

/** The smallest patch from one document to another; an empty object when they are equal. */
export function makeMergePatch(before: Json, after: Json): Json {
  if (!isJsonObject(before) || !isJsonObject(after)) return after;
  const patch: MutableJsonObject = {};
  for (const key of Object.keys(before)) if (!Object.hasOwn(after, key)) setOwn(patch, key, null);
  for (const [key, value] of Object.entries(after)) {
    const old = getOwn(before, key);
    if (equalJson(old, value)) continue;
    setOwn(patch, key, old === undefined ? value : makeMergePatch(old, value));
  }
  return patch;
}

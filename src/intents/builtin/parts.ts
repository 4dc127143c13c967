// Changing parts of documents whose types nobody has proven yet: what is not of the expected type
// stays as it is, since the schema reports wrong types and rules need not. Changes copy what they
// change, and a change to what is there already is no change.

import { getOwn, isJsonArray, isJsonObject, setOwn } from "../../kernel/json.ts";
import type { Json, JsonObject, MutableJsonObject } from "../../kernel/json.ts";
import { valueAt } from "../../kernel/json-read.ts";
import type { Resource } from "../../kernel/resource.ts";

/** A copy with one field set, or left out when the value is undefined. */
export function withField<T extends JsonObject>(object: T, key: string, value?: Json): T {
  if (getOwn(object, key) === value) return object;
  const copy: MutableJsonObject = { ...object };
  if (value === undefined) delete copy[key];
  else setOwn(copy, key, value);
  // The fields that T names keep their types: callers set fields to what they already may be.
  return copy as T;
}

/** A copy in which fields that are absent, null or empty have the given values. */
export function withDefaults<T extends JsonObject>(object: T, defaults: JsonObject): T {
  let result = object;
  for (const [key, value] of Object.entries(defaults)) {
    const given = valueAt(object, key);
    if (given === undefined || given === "") result = withField(result, key, value);
  }
  return result;
}

/** A copy of a list in a field, with each object of it changed; absent lists stay absent. */
export function withEach<T extends JsonObject>(
  object: T,
  key: string,
  change: (item: JsonObject) => JsonObject,
): T {
  const list = valueAt(object, key);
  if (!isJsonArray(list) || list.length === 0) return object;
  const changed = list.map((item) => (isJsonObject(item) ? change(item) : item));
  return withField(object, key, changed);
}

/** A copy with an object in a field changed; absent objects stay absent. */
export function withInner<T extends JsonObject>(
  object: T,
  key: string,
  change: (inner: JsonObject) => JsonObject,
): T {
  const inner = valueAt(object, key);
  return isJsonObject(inner) ? withField(object, key, change(inner)) : object;
}

/** The resource with a field of the old one in place of its own. */
export function withOld(resource: Resource, old: Resource, key: string): Resource {
  return withField(resource, key, getOwn(old, key));
}

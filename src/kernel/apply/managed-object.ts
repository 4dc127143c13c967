// An object together with its metadata.managedFields: reading, replacing and removing the entries
// without changing what was given, and giving an object its old times back when only these differ.

import { equalJson, isJsonArray, isJsonObject, setOwn } from "../json.ts";
import type { Json, JsonObject, MutableJsonObject } from "../json.ts";
import { withoutKey } from "../without-key.ts";

export function managedFieldsOf(object: JsonObject | undefined): Json | undefined {
  const metadata = object?.["metadata"];
  return isJsonObject(metadata) ? metadata["managedFields"] : undefined;
}

/** The object with this metadata and these entries; undefined takes the entries away. */
export function withManagedFields(
  object: JsonObject,
  metadata: JsonObject,
  managedFields: readonly Json[] | undefined,
): JsonObject {
  if (metadata["managedFields"] === managedFields && object["metadata"] === metadata) return object;
  if (managedFields !== undefined) {
    return { ...object, metadata: { ...metadata, managedFields } };
  }
  return { ...object, metadata: withoutKey(metadata, "managedFields") };
}

export function withoutManagedFields(object: JsonObject): JsonObject {
  const metadata = object["metadata"];
  if (!isJsonObject(metadata)) return object;
  return withManagedFields(object, metadata, undefined);
}

/** Metadata has no nulls: a list or map that lost its last item is simply gone. */
export function withoutNulls(metadata: JsonObject): JsonObject {
  const kept: MutableJsonObject = {};
  let isWhole = true;
  for (const [key, value] of Object.entries(metadata)) {
    if (value === null) isWhole = false;
    else setOwn(kept, key, value);
  }
  return isWhole ? metadata : kept;
}

/** The next object with the times of the live one when nothing but these times has changed. */
export function keepTimes(live: JsonObject, next: JsonObject): JsonObject {
  const before = managedFieldsOf(live);
  const after = managedFieldsOf(next);
  const metadata = next["metadata"];
  if (!isJsonArray(before) || !isJsonArray(after) || !isJsonObject(metadata)) return next;
  if (before.length === 0 || before.length !== after.length) return next;
  if (equalJson(before, after)) return next;
  if (!equalJson(before.map(withoutTime), after.map(withoutTime))) return next;
  if (!equalJson(withoutManagedFields(live), withoutManagedFields(next))) return next;
  return withManagedFields(next, metadata, before);
}

function withoutTime(entry: Json): Json {
  return isJsonObject(entry) ? withoutKey(entry, "time") : entry;
}

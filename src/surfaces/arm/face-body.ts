// `properties` as clients of one api-version see them, and the spec that is stored. Without
// functions of its own a version shows the spec, with what the reconciler reports laid over it.
// Fields that a version does not know are not shown by it, and survive what it writes.

import { getOwn, isJsonObject, setOwn } from "../../kernel/json.ts";
import type { Json, JsonObject, MutableJsonObject } from "../../kernel/json.ts";
import { objectAt } from "../../kernel/json-read.ts";
import { applyMergePatch } from "../../kernel/merge-patch.ts";
import type { Resource } from "../../kernel/resource.ts";
import type { ServedKind } from "../../intents/kinds/served-kind.ts";
import { withoutHidden } from "../../intents/write/hidden-fields.ts";
import type { ArmVersion } from "./face.ts";

/** What a client sees, without provisioningState. */
export async function shownProperties(
  version: ArmVersion,
  served: ServedKind,
  resource: Resource,
): Promise<JsonObject> {
  const shown = served.hasHidden ? withoutHidden(served.kind, resource) : resource;
  const spec = objectAt(shown, "spec");
  const status = objectAt(shown, "status");
  if (version.fromStored !== undefined) return await version.fromStored({ spec, status });
  const own = Object.entries(status).filter(([key]) => !ofTheEngine.has(key));
  return declaredOnly(version.schema, { ...spec, ...Object.fromEntries(own) });
}

/** The spec for what a client sent; nulls and what only the server may say are left out. */
export async function storedSpec(
  version: ArmVersion,
  properties: JsonObject,
  before: JsonObject | undefined,
): Promise<JsonObject> {
  const given = withoutReadOnly(version.schema, applyMergePatch({}, properties) as JsonObject);
  if (version.toStored !== undefined) return await version.toStored(given, before);
  return before === undefined ? given : keptUnknown(version.schema, before, given);
}

const ofTheEngine: ReadonlySet<string> = new Set(["observedGeneration", "conditions", "reconcile"]);
const fieldRule = "x-setpoint-field-rule";

function withoutReadOnly(schema: JsonObject, value: JsonObject): JsonObject {
  const result: MutableJsonObject = {};
  const fields = objectAt(schema, "properties");
  for (const [key, inner] of Object.entries(value)) {
    const field = getOwn(fields, key);
    if (key === "provisioningState") continue;
    if (isJsonObject(field) && field[fieldRule] === "read-only") continue;
    const isBoth = isJsonObject(field) && isJsonObject(inner);
    setOwn(result, key, isBoth ? withoutReadOnly(field, inner) : inner);
  }
  return result;
}

/** What the schema does not declare is taken from what is stored. */
function keptUnknown(schema: JsonObject, before: JsonObject, next: JsonObject): JsonObject {
  const fields = getOwn(schema, "properties");
  if (!isJsonObject(fields)) return next;
  const result: MutableJsonObject = { ...next };
  for (const [key, value] of Object.entries(before)) {
    const given = getOwn(next, key);
    const field = getOwn(fields, key);
    if (field === undefined && given === undefined) setOwn(result, key, value);
    if (isJsonObject(field) && isJsonObject(value) && isJsonObject(given)) {
      setOwn(result, key, keptUnknown(field, value, given));
    }
  }
  return result;
}

function declaredOnly(schema: JsonObject, value: JsonObject): JsonObject {
  const fields = getOwn(schema, "properties");
  const isOpen = schema["x-kubernetes-preserve-unknown-fields"] === true;
  if (!isJsonObject(fields) || isOpen) return value;
  const result: MutableJsonObject = {};
  for (const [key, inner] of Object.entries(value)) {
    const field: Json | undefined = getOwn(fields, key);
    if (!isJsonObject(field)) continue;
    setOwn(result, key, isJsonObject(inner) ? declaredOnly(field, inner) : inner);
  }
  return result;
}

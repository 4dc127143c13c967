// A definition rewritten for OpenAPI v2: references point elsewhere and may have a description
// beside them, and a choice of types becomes text, as clients of version 2 expect of quantities.

import { getOwn, isJsonArray, isJsonObject, setOwn } from "../../../kernel/json.ts";
import type { Json, JsonObject, MutableJsonObject } from "../../../kernel/json.ts";
import { v2Prefix, v3Prefix } from "./reference.ts";

/** Data, not schemas: nothing inside may be rewritten. */
const opaque = new Set(["enum", "example", "required"]);
/** Defaults are known to version 2, but its clients would apply them themselves. */
const unknownToV2 = new Set(["allOf", "anyOf", "oneOf", "not", "nullable", "default"]);

export function v2Schema(schema: JsonObject): JsonObject {
  const out: MutableJsonObject = {};
  for (const [key, value] of Object.entries(schema)) {
    if (unknownToV2.has(key)) continue;
    setOwn(out, key, isData(key) ? value : v2Value(key, value));
  }
  const allOf = getOwn(schema, "allOf");
  const [only] = isJsonArray(allOf) ? allOf : [];
  const target = isJsonObject(only) ? getOwn(only, "$ref") : undefined;
  if (typeof target === "string") out["$ref"] = rewritten(target);
  const isChoice = isJsonArray(getOwn(schema, "oneOf")) && out["type"] === undefined;
  if (isChoice) out["type"] = "string";
  return out;
}

function isData(key: string): boolean {
  return opaque.has(key) || key.startsWith("x-");
}

function v2Value(key: string, value: Json): Json {
  if (key === "$ref" && typeof value === "string") return rewritten(value);
  if (!isJsonObject(value)) return value;
  if (key !== "properties") return v2Schema(value);
  const properties: MutableJsonObject = {};
  for (const [name, inner] of Object.entries(value)) {
    setOwn(properties, name, isJsonObject(inner) ? v2Schema(inner) : inner);
  }
  return properties;
}

function rewritten(text: string): string {
  return text.startsWith(v3Prefix) ? `${v2Prefix}${text.slice(v3Prefix.length)}` : text;
}

// Parts from which modules build the schemas of their kinds.

import type { JsonObject } from "./json.ts";

export const text: JsonObject = { type: "string", minLength: 1, maxLength: 1_024 };
export const name: JsonObject = { type: "string", minLength: 1, maxLength: 253 };
export const anything: JsonObject = { "x-kubernetes-preserve-unknown-fields": true };

export function object(
  properties: { readonly [key: string]: JsonObject },
  required: readonly string[] = [],
): JsonObject {
  return { type: "object", ...(required.length === 0 ? {} : { required }), properties };
}

export function choice(...values: readonly string[]): JsonObject {
  return { type: "string", enum: values };
}

export function list(items: JsonObject, maxItems = 1_000): JsonObject {
  return { type: "array", maxItems, items };
}

export function map(values: JsonObject, maxProperties = 1_000): JsonObject {
  return { type: "object", maxProperties, additionalProperties: values };
}

export function described(schema: JsonObject, description: string): JsonObject {
  return { ...schema, description };
}

// Parts of the schemas that several routes share.

import type { JsonObject } from "../../kernel/json.ts";
import { limits } from "../../kernel/limits.ts";

export const kindParameter =
  "The plural and the group of the kind, such as configmaps or databases.shop.example.";

export const nameParameters = { kind: kindParameter, name: "The name of the resource." } as const;

export const namespaceField: JsonObject = {
  type: "string",
  maxLength: limits.maxNameLength,
  description: "The namespace of the resource. Omit it for cluster-wide kinds.",
};

export const onlyNamespaceField: JsonObject = {
  type: "string",
  maxLength: limits.maxNameLength,
  description: "Only this namespace. Default: all namespaces that you may list.",
};

export const atLeastField: JsonObject = {
  type: "integer",
  minimum: 0,
  description: "Wait until the response includes this revision, to read your own writes.",
};

export const cursorField: JsonObject = {
  type: "string",
  maxLength: limits.maxCursorChars,
  description: "The value of `next` in the previous page.",
};

export function limitField(most: number, usual: number): JsonObject {
  return {
    type: "integer",
    minimum: 1,
    maximum: most,
    default: usual,
    description: `The page size. Default: ${usual}. Maximum: ${most}.`,
  };
}

export const nextField: JsonObject = {
  type: "string",
  description: "The cursor of the next page. Absent on the last page.",
};

export const causeSchema: JsonObject = {
  type: "object",
  description: "Who made the change, and through which surface.",
  properties: {
    actor: { type: "string" },
    surface: { type: "string" },
    impersonator: { type: "string" },
    traceId: { type: "string" },
    correlationId: { type: "string" },
  },
};

export const changeSchema: JsonObject = {
  type: "object",
  required: ["kind", "path"],
  properties: {
    kind: { type: "string", enum: ["add", "remove", "replace"] },
    path: { type: "string", description: "A JSON Pointer." },
    old: { description: "Absent for an added field." },
    new: { description: "Absent for a removed field." },
    isHidden: { type: "boolean", description: "The values are secret and not shown." },
  },
};

export function objectSchema(properties: JsonObject, required: readonly string[] = []): JsonObject {
  return {
    type: "object",
    properties,
    ...(required.length === 0 ? {} : { required: [...required] }),
  };
}

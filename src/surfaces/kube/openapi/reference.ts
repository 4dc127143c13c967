// Names of definitions and references between them. In OpenAPI v3 a reference with anything beside
// it has to stand in `allOf`; version 2 allows a description right there.

import type { JsonObject } from "../../../kernel/json.ts";

export const v3Prefix = "#/components/schemas/";
export const v2Prefix = "#/definitions/";
export const metaPrefix = "io.k8s.apimachinery.pkg.apis.meta.v1";

export function reference(name: string, beside: JsonObject = {}): JsonObject {
  const $ref = `${v3Prefix}${name}`;
  return Object.keys(beside).length === 0 ? { $ref } : { allOf: [{ $ref }], ...beside };
}

export function v2Reference(name: string, beside: JsonObject = {}): JsonObject {
  return { $ref: `${v2Prefix}${name}`, ...beside };
}

/** "dev.example.v1.Widget" for the kind Widget of example.dev/v1. */
export function definitionName(group: string, version: string, kind: string): string {
  return `${group.split(".").toReversed().join(".")}.${version}.${kind}`;
}

// Names of definitions and references between them. Schemas are written for OpenAPI v3, where a
// reference with anything beside it has to stand in `allOf`; the v2 form is derived from them.

import type { JsonObject } from "../../../kernel/json.ts";

export const v3Prefix = "#/components/schemas/";
export const metaPrefix = "io.k8s.apimachinery.pkg.apis.meta.v1";

export function reference(name: string, beside: JsonObject = {}): JsonObject {
  const $ref = `${v3Prefix}${name}`;
  return Object.keys(beside).length === 0 ? { $ref } : { allOf: [{ $ref }], ...beside };
}

/** "dev.example.v1.Widget" for the kind Widget of example.dev/v1. */
export function definitionName(group: string, version: string, kind: string): string {
  return `${group.split(".").toReversed().join(".")}.${version}.${kind}`;
}

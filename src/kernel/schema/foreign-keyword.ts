// Finds the first keyword of a schema that a structural schema does not have. Kubernetes does
// not look at the structure of such a schema at all.

import { getOwn, isJsonArray, isJsonObject } from "../json.ts";
import type { Json, JsonObject } from "../json.ts";
import { objectsAt, presentObjectAt } from "../json-read.ts";
import { schemasIn } from "./schema-json.ts";

/** What Kubernetes says about it; undefined when there is none. */
export function foreignKeyword(json: JsonObject): string | undefined {
  for (const [key, name] of foreign) {
    if (isGiven(getOwn(json, key))) return `OpenAPIV3Schema '${name}' is not supported`;
  }
  if (getOwn(json, "additionalItems") !== undefined) {
    return "OpenAPIV3Schema 'additionalItems' is not supported";
  }
  if (getOwn(json, "x-kubernetes-preserve-unknown-fields") === false) {
    return "internal error: 'x-kubernetes-preserve-unknown-fields' must be true or undefined";
  }
  const items = getOwn(json, "items");
  if (isJsonArray(items) && items.length > 0) {
    return "OpenAPIV3Schema 'items' must be a schema, but is an array";
  }
  for (const child of childrenOf(json)) {
    const found = foreignKeyword(child);
    if (found !== undefined) return found;
  }
  return undefined;
}

const foreign: readonly (readonly [string, string])[] = [
  ["id", "id"],
  ["$schema", "schema"],
  ["$ref", "$ref"],
  ["patternProperties", "patternProperties"],
  ["dependencies", "dependencies"],
  ["definitions", "definitions"],
];

function isGiven(value: Json | undefined): boolean {
  if (isJsonObject(value)) return Object.keys(value).length > 0;
  return typeof value === "string" && value !== "";
}

function childrenOf(json: JsonObject): readonly JsonObject[] {
  const single = ["not", "items", "additionalProperties"].map((key) => presentObjectAt(json, key));
  return [
    ...single.filter((child) => child !== undefined),
    ...["allOf", "anyOf", "oneOf"].flatMap((key) => objectsAt(json, key)),
    ...schemasIn(json, "properties").map(([, property]) => property),
  ];
}

// The value of an expression as JSON. Pure.

import type { CelValue } from "../cel/values.ts";
import { items } from "../cel/values.ts";
import { tick } from "../inline-time.ts";
import type { Json, MutableJsonObject } from "../json.ts";
import { setOwn } from "../json.ts";

export type JsonResult =
  | { readonly kind: "json"; readonly json: Json }
  | { readonly kind: "problem"; readonly problem: string };

/** Texts, numbers, booleans, null, lists and maps with texts as keys have a form in JSON. */
export function jsonOf(value: CelValue): JsonResult {
  if (value === null || typeof value === "boolean" || typeof value === "string") return ok(value);
  if (typeof value === "number") return ok(value);
  if (typeof value === "bigint") return ok(Number(value));
  switch (value.kind) {
    case "double":
      return Number.isFinite(value.value) ? ok(value.value) : problem("is not a finite number");
    case "uint":
      return ok(Number(value.value));
    case "list":
      return listJson(items(value).map(jsonOf));
    case "map":
      return mapJson(value.keys().map((key) => [key, value.get(key) ?? null]));
    default:
      return problem(`is of the type ${value.kind}, which JSON does not have: use string()`);
  }
}

function listJson(results: readonly JsonResult[]): JsonResult {
  const list: Json[] = [];
  for (const result of results) {
    if (result.kind === "problem") return result;
    list.push(result.json);
  }
  return ok(list);
}

function mapJson(entries: readonly (readonly [CelValue, CelValue])[]): JsonResult {
  const object: MutableJsonObject = {};
  tick(entries.length);
  for (const [key, value] of entries) {
    if (typeof key !== "string") return problem("has a key that is not a text");
    const result = jsonOf(value);
    if (result.kind === "problem") return result;
    setOwn(object, key, result.json);
  }
  return ok(object);
}

function ok(json: Json): JsonResult {
  return { kind: "json", json };
}

function problem(text: string): JsonResult {
  return { kind: "problem", problem: text };
}

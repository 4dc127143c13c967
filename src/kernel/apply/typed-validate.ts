// Checks an applied configuration against its type before anything is merged: shapes, declared
// fields, and lists whose items could not be told apart. Problems are worded as the Kubernetes API
// words them, down to how it prints values, since clients show and compare these texts.

import { isNumber } from "../int64.ts";
import { isJsonArray, isJsonObject } from "../json.ts";
import type { Json, JsonObject } from "../json.ts";
import { elementLabel } from "./field-element.ts";
import { goSyntax, goText, goType } from "../go-text.ts";
import { itemElement, itemProblem } from "./list-items.ts";
import { keyType } from "./type-schema.ts";
import type { ListType, MapType, ScalarType, TypeNode } from "./type-schema.ts";

/** What is wrong with a value, in one text, or undefined when it fits its type. */
export function typeProblem(value: Json, type: TypeNode): string | undefined {
  const problems: string[] = [];
  validate(value, type, "", problems);
  if (problems.length <= 1) return problems[0];
  return ["errors:", ...problems.map((problem) => `  ${problem}`)].join("\n");
}

function validate(value: Json, type: TypeNode, path: string, problems: string[]): void {
  if (value === null) return;
  const { map, scalar, list } = type;
  if (isJsonObject(value) && map !== undefined) validateMap(value, map, path, problems);
  else if (isJsonArray(value) && list !== undefined) validateList(value, list, path, problems);
  else {
    const problem = shapeProblem(value, type, scalar);
    if (problem !== undefined) problems.push(at(path, problem));
  }
}

function shapeProblem(
  value: Json,
  { map }: TypeNode,
  scalar: ScalarType | undefined,
): string | undefined {
  const isScalar = typeof value !== "object";
  if (scalar !== undefined && (isScalar || map === undefined)) {
    return scalarProblem(value, scalar);
  }
  if (map !== undefined) return `expected map, got &{${goText(value)}}`;
  return `expected list, got &{${goText(value)}}`;
}

function scalarProblem(value: Json, scalar: ScalarType): string | undefined {
  switch (scalar) {
    case "numeric":
      if (isNumber(value)) return undefined;
      return `expected numeric (int or float), got ${goType(value)}`;
    case "string":
      if (typeof value === "string") return undefined;
      return `expected string, got &value.valueUnstructured{Value:${goSyntax(value)}}`;
    case "boolean":
      if (typeof value === "boolean") return undefined;
      return `expected boolean, got &{${goText(value)}}`;
    default:
      if (typeof value !== "object") return undefined;
      return `expected any scalar, got &{${goText(value)}}`;
  }
}

function validateMap(value: JsonObject, map: MapType, path: string, problems: string[]): void {
  for (const key of Object.keys(value)) {
    const type = keyType(map, key);
    const place = `${path}.${key}`;
    if (type === undefined) {
      problems.push(at(place, "field not declared in schema"));
      return;
    }
    validate(value[key] ?? null, type, place, problems);
  }
}

function validateList(
  items: readonly Json[],
  list: ListType,
  path: string,
  problems: string[],
): void {
  const seen = new Set<string>();
  for (const [index, item] of items.entries()) {
    if (list.kind === "atomic") {
      validate(item, list.item, `${path}[${index}]`, problems);
      continue;
    }
    const element = itemElement(list, item);
    if (element === undefined) {
      problems.push(at(path, `element ${index}: ${itemProblem(list, item)}`));
      return;
    }
    const label = elementLabel(element);
    if (seen.has(element)) problems.push(at(path, `duplicate entries for key ${label}`));
    seen.add(element);
    validate(item, list.item, path + label, problems);
  }
}

function at(path: string, problem: string): string {
  return path === "" ? problem : `${path}: ${problem}`;
}

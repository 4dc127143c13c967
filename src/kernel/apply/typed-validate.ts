// Checks an applied configuration against its type before anything is merged: shapes, declared
// fields, and lists whose items could not be told apart. Problems are field errors. `misfitText`
// words them as the Kubernetes API does, down to how it prints values, since clients show and
// compare these texts.

import type { FieldError } from "../field-error.ts";
import { isNumber } from "../int64.ts";
import { isJsonArray, isJsonObject } from "../json.ts";
import type { Json, JsonObject } from "../json.ts";
import { elementLabel } from "./field-element.ts";
import { goSyntax, goText, goType } from "../go-text.ts";
import { itemElement, itemProblem } from "./list-items.ts";
import { keyType } from "./type-schema.ts";
import type { ListType, MapType, ScalarType, TypeNode } from "./type-schema.ts";

/** None when the value fits its type. */
export function misfits(value: Json, type: TypeNode): readonly FieldError[] {
  const problems: FieldError[] = [];
  validate(value, type, "", problems);
  return problems;
}

/** All problems in one text. */
export function misfitText(errors: readonly FieldError[]): string {
  const texts = errors.map(problemText);
  if (texts.length === 1) return texts.join("");
  return ["errors:", ...texts.map((text) => `  ${text}`)].join("\n");
}

function problemText({ path, detail, value, shown }: FieldError): string {
  const found = value === undefined ? "" : `, got ${shown ?? goText(value)}`;
  return `${path === "" ? "" : `${path}: `}${detail}${found}`;
}

function validate(value: Json, type: TypeNode, path: string, problems: FieldError[]): void {
  if (value === null) return;
  const { map, scalar, list } = type;
  if (isJsonObject(value) && map !== undefined) validateMap(value, map, path, problems);
  else if (isJsonArray(value) && list !== undefined) validateList(value, list, path, problems);
  else {
    const problem = shapeProblem(value, type, scalar);
    if (problem !== undefined) problems.push({ kind: "type", path, value, ...problem });
  }
}

type Problem = Pick<FieldError, "detail" | "shown">;

function shapeProblem(
  value: Json,
  { map }: TypeNode,
  scalar: ScalarType | undefined,
): Problem | undefined {
  const isScalar = typeof value !== "object";
  if (scalar !== undefined && (isScalar || map === undefined)) {
    return scalarProblem(value, scalar);
  }
  const shown = `&{${goText(value)}}`;
  return { detail: map === undefined ? "expected list" : "expected map", shown };
}

function scalarProblem(value: Json, scalar: ScalarType): Problem | undefined {
  switch (scalar) {
    case "numeric":
      if (isNumber(value)) return undefined;
      return { detail: "expected numeric (int or float)", shown: goType(value) };
    case "string":
      if (typeof value === "string") return undefined;
      return {
        detail: "expected string",
        shown: `&value.valueUnstructured{Value:${goSyntax(value)}}`,
      };
    case "boolean":
      if (typeof value === "boolean") return undefined;
      return { detail: "expected boolean", shown: `&{${goText(value)}}` };
    default:
      if (typeof value !== "object") return undefined;
      return { detail: "expected any scalar", shown: `&{${goText(value)}}` };
  }
}

function validateMap(value: JsonObject, map: MapType, path: string, problems: FieldError[]): void {
  for (const key of Object.keys(value)) {
    const type = keyType(map, key);
    const place = `${path}.${key}`;
    if (type === undefined) {
      problems.push({ kind: "unknown", path: place, detail: "field not declared in schema" });
      return;
    }
    validate(value[key] ?? null, type, place, problems);
  }
}

function validateList(
  items: readonly Json[],
  list: ListType,
  path: string,
  problems: FieldError[],
): void {
  const seen = new Set<string>();
  for (const [index, item] of items.entries()) {
    if (list.kind === "atomic") {
      validate(item, list.item, `${path}[${index}]`, problems);
      continue;
    }
    const element = itemElement(list, item);
    if (element === undefined) {
      const detail = `element ${index}: ${itemProblem(list, item)}`;
      problems.push({ kind: "invalid", path, detail });
      return;
    }
    const label = elementLabel(element);
    if (seen.has(element)) {
      const computed = { of: path, plain: "duplicate entries for a key" };
      const detail = `duplicate entries for key ${label}`;
      problems.push({ kind: "duplicate", path, detail, computed });
    }
    seen.add(element);
    validate(item, list.item, path + label, problems);
  }
}

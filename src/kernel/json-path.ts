// Kubernetes' JSONPath, compiled once and applied to many documents, as printer columns need it.
// A path that does not fit a document has no result; it never throws and never runs user code.
// Whatever is missing is passed over, but a wrong shape (an index into a string, a comparison of
// different types) makes the whole path fail, because that is what kube-apiserver's cells show.

import { compareNumbers, isNumber } from "./int64.ts";
import { equalJson, getOwn, isJsonArray, isJsonObject } from "./json.ts";
import type { Json } from "./json.ts";
import { limits } from "./limits.ts";
import { parseJsonPath } from "./json-path-parse.ts";
import type { Comparison, Slice, Step, Steps } from "./json-path-parse.ts";

export interface JsonPath {
  readonly text: string;
  /** All values the path leads to; undefined when the path does not fit the document's shape. */
  readonly find: (document: Json) => readonly Json[] | undefined;
}

/** Throws request.invalid when the text is not a path such as ".spec.replicas". */
export function compileJsonPath(text: string): JsonPath {
  const steps = parseJsonPath(text);
  return { text, find: (document) => walked([document], steps) };
}

/** Undefined stands for failure, an empty list for "nothing there". */
type Found = readonly Json[] | undefined;

function walked(input: readonly Json[], steps: Steps): Found {
  let current: Found = input;
  for (const step of steps) {
    if (current === undefined || current.length > limits.maxJsonPathValues) return undefined;
    current = applied(current, step);
  }
  return current;
}

function applied(input: readonly Json[], step: Step): Found {
  switch (step.kind) {
    case "field":
      return fields(input, step.name);
    case "wildcard":
      return input.flatMap(children);
    case "recursive":
      return descended(input);
    case "slice":
      return flatMapped(input, (value) => sliced(value, step.slice));
    case "union":
      return flatMapped(step.branches, (branch) => walked(input, branch));
    case "literal":
      return input.map(() => step.value);
    case "exists":
    case "compare":
      return flatMapped(input, (value) => filtered(value, step));
    default:
      return step satisfies never;
  }
}

function fields(input: readonly Json[], name: string): readonly Json[] {
  const found: Json[] = [];
  for (const value of input) {
    const inner = isJsonObject(value) ? getOwn(value, name) : undefined;
    if (inner !== undefined) found.push(inner);
  }
  return found;
}

function children(value: Json): readonly Json[] {
  if (isJsonArray(value)) return value;
  return isJsonObject(value) ? Object.values(value) : [];
}

/** Every value that has something inside it, outer ones first. */
function descended(input: readonly Json[]): Found {
  const found: Json[] = [];
  const pending = input.toReversed();
  while (pending.length > 0) {
    const value = pending.pop() ?? null;
    const inner = children(value);
    if (inner.length === 0) continue;
    if (found.push(value) > limits.maxJsonPathValues) return undefined;
    for (let i = inner.length - 1; i >= 0; i--) pending.push(inner[i] ?? null);
  }
  return found;
}

function sliced(value: Json, slice: Slice): Found {
  if (value === null) return [];
  if (!isJsonArray(value)) return undefined;
  const { length } = value;
  let from = slice.from ?? 0;
  let to = slice.to === "next" ? from + 1 : (slice.to ?? length);
  if (from < 0) from += length;
  if (to < 0 || (to === 0 && slice.to === "next")) to += length;
  if (from === to) return [];
  if (from < 0 || from >= length || to < 0 || to > length || from > to) return undefined;
  const step = slice.step ?? 1;
  if (step <= 0) return undefined;
  return value.slice(from, to).filter((_item, at) => at % step === 0);
}

type Filter = Extract<Step, { readonly kind: "exists" | "compare" }>;

function filtered(value: Json, filter: Filter): Found {
  if (!isJsonArray(value)) return undefined;
  const kept: Json[] = [];
  for (const item of value) {
    const passes = matches(item, filter);
    if (passes === undefined) return undefined;
    if (passes) kept.push(item);
  }
  return kept;
}

/** Undefined when the two sides cannot be compared. */
function matches(item: Json, filter: Filter): boolean | undefined {
  const left = walked([item], filter.left);
  if (filter.kind === "exists") return left !== undefined && left.length > 0;
  if (left === undefined || left.length > 1) return undefined;
  if (left.length === 0) return false;
  const right = walked([item], filter.right);
  if (right === undefined || right.length > 1) return undefined;
  if (right.length === 0) return false;
  return compared(left[0] ?? null, filter.operator, right[0] ?? null);
}

function compared(left: Json, operator: Comparison, right: Json): boolean | undefined {
  const type = basicType(left);
  if (type === undefined || type !== basicType(right)) return undefined;
  if (operator === "==") return equalJson(left, right);
  if (operator === "!=") return !equalJson(left, right);
  const order = ordered(left, right);
  if (order === undefined) return undefined;
  switch (operator) {
    case "<":
      return order < 0;
    case "<=":
      return order <= 0;
    case ">":
      return order > 0;
    case ">=":
      return order >= 0;
    default:
      return operator satisfies never;
  }
}

/** Whole numbers and fractions are different types to kube-apiserver. */
function basicType(value: Json): string | undefined {
  if (typeof value === "bigint") return "integer";
  if (typeof value === "number") return Number.isInteger(value) ? "integer" : "fraction";
  return typeof value === "object" ? undefined : typeof value;
}

function ordered(left: Json, right: Json): number | undefined {
  if (isNumber(left) && isNumber(right)) return compareNumbers(left, right);
  if (typeof left !== "string" || typeof right !== "string") return undefined;
  if (left === right) return 0;
  return left < right ? -1 : 1;
}

function flatMapped<T>(items: readonly T[], each: (item: T) => Found): Found {
  const all: Json[] = [];
  for (const item of items) {
    const found = each(item);
    if (found === undefined) return undefined;
    for (const value of found) all.push(value);
  }
  return all;
}

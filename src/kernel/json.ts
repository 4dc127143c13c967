// JSON as data: the types, and the few walks every other kernel file is built from.
// All functions treat keys as plain own keys, so that "__proto__" and "constructor" in a
// document are ordinary fields: a hostile body can never reach a prototype. Values are never
// mutated except through `setOwn`, which callers use only on objects they have just made.

import { isInt64 } from "./int64.ts";

/** A bigint is an int64 that is not exact as a number, and nothing else: see int64.ts. */
export type Json = null | boolean | number | bigint | string | readonly Json[] | JsonObject;

export interface JsonObject {
  readonly [key: string]: Json;
}

/** An object under construction; nobody else may hold it yet. */
export type MutableJsonObject = { [key: string]: Json };

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function isJsonArray(value: unknown): value is readonly Json[] {
  return Array.isArray(value);
}

/** Reads an own key; inherited names such as "constructor" are absent unless stored. */
export function getOwn(object: JsonObject, key: string): Json | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

/** Assigns an own key; a plain assignment to "__proto__" would change the prototype. */
export function setOwn(object: MutableJsonObject, key: string, value: Json): void {
  if (key !== "__proto__") object[key] = value;
  else {
    const own = { value, writable: true, enumerable: true, configurable: true };
    Object.defineProperty(object, key, own);
  }
}

/** Deep equality; key order does not matter, list order does. */
export function equalJson(a: Json | undefined, b: Json | undefined): boolean {
  if (a === b) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) {
    return isSameInteger(a, b);
  }
  if (isJsonArray(a)) {
    if (!isJsonArray(b) || a.length !== b.length) return false;
    for (let i = 0; i < a.length; i++) if (!equalJson(a[i], b[i])) return false;
    return true;
  }
  if (isJsonArray(b)) return false;
  // Without lists of the keys, which would be garbage at once: this is asked for every run.
  for (const key in a) if (!Object.hasOwn(b, key) || !equalJson(a[key], b[key])) return false;
  for (const key in b) if (!Object.hasOwn(a, key)) return false;
  return true;
}

/** A float such as 1e17 is written as a whole number, so that it is a bigint when it is read. */
function isSameInteger(a: Json | undefined, b: Json | undefined): boolean {
  if (typeof a === "bigint") return typeof b === "number" && String(a) === String(b);
  return typeof a === "number" && typeof b === "bigint" && String(a) === String(b);
}

export function cloneJson<T extends Json>(value: T): T;
export function cloneJson(value: Json): Json {
  if (typeof value !== "object" || value === null) return value;
  if (isJsonArray(value)) return value.map((item) => cloneJson(item));
  const copy: MutableJsonObject = {};
  for (const key of Object.keys(value)) setOwn(copy, key, cloneJson(value[key] ?? null));
  return copy;
}

/**
 * Says why a value is not JSON within the depth limit, or undefined when it is. The depth is
 * checked before anything recurses further, so hostile nesting cannot exhaust the stack.
 */
export function jsonProblem(value: unknown, maxDepth: number): string | undefined {
  switch (typeof value) {
    case "string":
    case "boolean":
      return undefined;
    case "number":
      return Number.isFinite(value) ? undefined : "a number is not finite";
    case "bigint":
      return isInt64(value) ? undefined : "an integer has more than 64 bits";
    case "object":
      break;
    default:
      return `a value has the type ${typeof value}`;
  }
  if (value === null) return undefined;
  if (maxDepth <= 0) return "the nesting is too deep";
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) {
      const problem = jsonProblem(value[i], maxDepth - 1);
      if (problem !== undefined) return problem;
    }
    return undefined;
  }
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return "an object is not plain";
  for (const inner of Object.values(value)) {
    const problem = jsonProblem(inner, maxDepth - 1);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

// JSON as data: the types, and the few walks every other kernel file is built from.
// All functions treat keys as plain own keys, so that "__proto__" and "constructor" in a
// document are ordinary fields: a hostile body can never reach a prototype. Values are never
// mutated except through `setOwn`, which callers use only on objects they have just made.

export type Json = null | boolean | number | string | readonly Json[] | JsonObject;

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
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
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

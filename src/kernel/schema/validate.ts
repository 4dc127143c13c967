// Checks a value against a schema, with the errors and their words as the Kubernetes API server
// gives them. Of the alternatives of anyOf and oneOf, the errors of the one are shown that came
// closest; how close it came is counted as there, in checks passed. With an old value, what has
// not changed is not complained about (see correlate.ts).

import type { FieldError } from "../field-error.ts";
import { fieldErrorText } from "../field-error-text.ts";
import { tick } from "../inline-time.ts";
import { isNumber } from "../int64.ts";
import { isJsonArray, isJsonObject } from "../json.ts";
import type { Json, JsonObject } from "../json.ts";
import { appendAll } from "../append.ts";
import { limits } from "../limits.ts";
import { correlateIndex, correlateKey, isUnchanged } from "./correlate.ts";
import type { Correlation } from "./correlate.ts";
import type { Schema } from "./schema.ts";
import { formatTrail } from "./trail.ts";
import type { Trail } from "./trail.ts";
import {
  enumError,
  formatError,
  knownFormat,
  lengthError,
  listErrors,
  numberErrors,
  patternError,
  sizeErrors,
  stringError,
  typeError,
} from "./value-checks.ts";
import { forbiddenProperty, junctorError, requiredAt } from "./value-errors.ts";
import type { Place } from "./value-errors.ts";

export interface ValidateOptions {
  /** The value that is replaced; absent for a new one. */
  readonly old?: Json | undefined;
  /** Tells each problem of a text; Kubernetes stops at the first one. */
  readonly isThorough?: boolean;
}

/** `path` is where the value is found, empty for a whole resource. */
export function validateValue(
  schema: Schema,
  value: Json,
  path = "",
  { old, isThorough = false }: ValidateOptions = {},
): readonly FieldError[] {
  const root = { path, isThorough };
  const errors = walkThrough(schema, value, root, undefined);
  if (errors.length === 0 || old === undefined) return errors;
  // Forgiving can only take errors away, so that most updates need not look at the old value.
  return walkThrough(schema, value, root, { schema, value, old });
}

function walkThrough(
  schema: Schema,
  value: Json,
  { path, isThorough }: { readonly path: string; readonly isThorough: boolean },
  correlation: Correlation | undefined,
): readonly FieldError[] {
  const trail: Trail = [];
  const at = (): Place => ({ prefix: path, name: formatTrail(trail) });
  const walk: Walk = { trail, at, isThorough, errors: [] };
  visit(walk, schema, value, correlation);
  return walk.errors.length > 1 ? distinct(walk.errors) : walk.errors;
}

interface Walk {
  readonly trail: Trail;
  /** Where the walk is; only failures ask. */
  readonly at: () => Place;
  readonly isThorough: boolean;
  errors: FieldError[];
}

/** Checks the value, and forgives it when it is what it was. Returns the checks passed. */
function visit(
  walk: Walk,
  schema: Schema,
  value: Json,
  correlation: Correlation | undefined,
): number {
  const before = walk.errors.length;
  const passed = check(walk, schema, value, correlation);
  if (correlation !== undefined && walk.errors.length > before && isUnchanged(correlation)) {
    walk.errors.length = before;
  }
  return passed;
}

function check(
  walk: Walk,
  schema: Schema,
  value: Json,
  correlation: Correlation | undefined,
): number {
  tick();
  // An answer names a few problems, and a client that repairs them sends the document again.
  if (walk.errors.length >= limits.maxSchemaErrors) return 0;
  const wrong = typeError(schema, value, walk.at);
  if (wrong !== undefined) walk.errors.push(wrong);
  if (value === null) {
    add(walk, enumError(schema, value, walk.at));
    return wrong === undefined ? 1 : 0;
  }
  const hasFormat = schema.format !== "" && knownFormat(schema) !== "";
  let passed = 2;
  if (schema.type !== "" || schema.intOrString || hasFormat) passed += wrong === undefined ? 2 : 1;
  passed += schema.hasJunctors ? junctors(walk, schema, value) : 2;
  if (typeof value === "string") {
    const first = stringError(schema, value, walk.at);
    if (first !== undefined) addTextErrors(walk, schema, value, first);
    if (hasFormat) add(walk, formatError(schema, value, walk.at));
    passed += hasFormat ? 2 : 1;
  } else if (isNumber(value)) {
    numberErrors(schema, value, walk.at, walk.errors);
    passed += 2;
  } else if (isJsonArray(value)) passed += checkList(walk, schema, value, correlation) + 2;
  if (schema.enum.length > 0) add(walk, enumError(schema, value, walk.at));
  if (isJsonObject(value)) passed += checkObject(walk, schema, value, correlation) + 1;
  return passed;
}

function checkList(
  walk: Walk,
  schema: Schema,
  list: readonly Json[],
  correlation: Correlation | undefined,
): number {
  let passed = 0;
  const { items } = schema;
  if (items !== undefined) {
    for (let i = 0; i < list.length; i++) {
      walk.trail.push(i);
      passed += visit(walk, items, list[i] ?? null, correlateIndex(correlation, i));
      walk.trail.pop();
    }
  }
  listErrors(schema, list, walk.at, walk.errors);
  return passed;
}

function checkObject(
  walk: Walk,
  schema: Schema,
  object: JsonObject,
  correlation: Correlation | undefined,
): number {
  sizeErrors(schema, object, walk.at, walk.errors);
  const { properties, additionalProperties, required } = schema;
  const isRoot = walk.trail.length === 0;
  let passed = 0;
  if (properties.size > 0 || additionalProperties !== undefined) {
    for (const key of Object.keys(object)) {
      const property = properties.get(key);
      if (property === undefined && typeof additionalProperties !== "object") {
        if (additionalProperties === false) walk.errors.push(forbiddenProperty(walk.at(), key));
        continue;
      }
      const inner = property ?? additionalProperties;
      if (typeof inner !== "object") continue;
      walk.trail.push(isRoot && property === undefined ? `.${key}` : key);
      passed += visit(walk, inner, object[key] ?? null, childOf(correlation, key, isRoot));
      walk.trail.pop();
    }
  }
  for (const key of required) {
    if (!Object.hasOwn(object, key)) walk.errors.push(requiredAt(walk.at(), key));
  }
  return passed;
}

/** The type of a resource is never forgiven: the stored one was converted to the new one. */
function childOf(
  correlation: Correlation | undefined,
  key: string,
  isRoot: boolean,
): Correlation | undefined {
  if (correlation === undefined) return undefined;
  if (isRoot && (key === "kind" || key === "apiVersion")) return undefined;
  return correlateKey(correlation, key);
}

/**
 * Checks allOf, anyOf, oneOf and not; returns the checks passed in the schemas that count. What
 * they say is forgiven as a whole only, with the value that they are about.
 */
function junctors(walk: Walk, schema: Schema, value: Json): number {
  let passed = 2;
  if (schema.anyOf.length > 0) passed += checkAnyOf(walk, schema.anyOf, value);
  if (schema.oneOf.length > 0) passed += checkOneOf(walk, schema.oneOf, value);
  if (schema.allOf.length > 0) passed += checkAllOf(walk, schema.allOf, value);
  if (schema.not !== undefined && attempt(walk, schema.not, value).isValid) {
    walk.errors.push(junctorError(walk.at(), "must not validate the schema (not)"));
  }
  return passed;
}

interface Attempt {
  readonly isValid: boolean;
  readonly passed: number;
  readonly errors: readonly FieldError[];
}

/** Checks without reporting. */
function attempt(walk: Walk, schema: Schema, value: Json): Attempt {
  const before = walk.errors;
  walk.errors = [];
  const passed = check(walk, schema, value, undefined);
  const { errors } = walk;
  walk.errors = before;
  return { isValid: errors.length === 0, passed, errors };
}

function checkAnyOf(walk: Walk, schemas: readonly Schema[], value: Json): number {
  let best: Attempt | undefined;
  for (const schema of schemas) {
    const tried = attempt(walk, schema, value);
    if (tried.isValid) return tried.passed;
    if (best === undefined || tried.passed > best.passed) best = tried;
  }
  walk.errors.push(junctorError(walk.at(), "must validate at least one schema (anyOf)"));
  appendAll(walk.errors, best?.errors ?? []);
  return best?.passed ?? 0;
}

function checkOneOf(walk: Walk, schemas: readonly Schema[], value: Json): number {
  const tried = schemas.map((schema) => attempt(walk, schema, value));
  const valid = tried.filter(({ isValid }) => isValid);
  if (valid.length === 1) return valid[0]?.passed ?? 0;
  const must = "must validate one and only one schema (oneOf).";
  if (valid.length > 1) {
    const found = `Found ${valid.length} valid alternatives`;
    walk.errors.push(junctorError(walk.at(), `${must} ${found}`));
    return 0;
  }
  const best = tried.reduce((a, b) => (b.passed > a.passed ? b : a));
  walk.errors.push(junctorError(walk.at(), `${must} Found none valid`));
  appendAll(walk.errors, best.errors);
  return best.passed;
}

function checkAllOf(walk: Walk, schemas: readonly Schema[], value: Json): number {
  let passed = 0;
  let valid = 0;
  for (const schema of schemas) {
    const before = walk.errors.length;
    passed += check(walk, schema, value, undefined);
    if (walk.errors.length === before) valid += 1;
  }
  if (valid < schemas.length) {
    const none = valid === 0 ? ". None validated" : "";
    walk.errors.push(junctorError(walk.at(), `must validate all the schemas (allOf)${none}`));
  }
  return passed;
}

function addTextErrors(walk: Walk, schema: Schema, text: string, first: FieldError): void {
  walk.errors.push(first);
  // The pattern is looked at last, so that it is told already where the length is right.
  if (!walk.isThorough || lengthError(schema, text, walk.at) === undefined) return;
  add(walk, patternError(schema, text, walk.at));
}

function add(walk: Walk, error: FieldError | undefined): void {
  if (error !== undefined) walk.errors.push(error);
}

/** Several junctors may find the same thing. */
function distinct(errors: readonly FieldError[]): readonly FieldError[] {
  const seen = new Set<string>();
  return errors.filter((error) => {
    const text = fieldErrorText(error);
    if (seen.has(text)) return false;
    seen.add(text);
    return true;
  });
}

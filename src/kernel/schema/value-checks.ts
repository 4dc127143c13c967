// The checks of one value against one node of a schema, without looking below it. They follow
// the validator of the Kubernetes API server, including its oddities, because a document that
// is valid there has to be valid here, and the other way round.

import { canonicalJson } from "../canonical-json.ts";
import type { FieldError } from "../field-error.ts";
import { tick } from "../inline-time.ts";
import { integerOf } from "../int64.ts";
import type { Json, JsonObject } from "../json.ts";
import { compileRegex, regexProblem } from "../regex.ts";
import { formatCheck } from "./formats.ts";
import { goNumber } from "../go-text.ts";
import type { Schema } from "./schema.ts";
import {
  notInEnum,
  notPositiveFactor,
  shouldAt,
  tooLongAt,
  tooManyAt,
  wrongTypeAt,
} from "./value-errors.ts";
import type { Place } from "./value-errors.ts";

/** Of the work of one match; each character is more of it. */
const ticksPerMatch = 10;

/** Makes the place of the value, which only failures need. */
export type PlaceOf = () => Place;

export function typeError(schema: Schema, value: Json, at: PlaceOf): FieldError | undefined {
  const { type, intOrString } = schema;
  // The usual case first: a value of exactly the type.
  if (typeof value === type && type !== "object" && !intOrString) return undefined;
  if (value === null) {
    const isAllowed = (type === "" && !intOrString) || schema.nullable;
    return isAllowed ? undefined : wrongTypeAt(at(), typeNames(schema), "null");
  }
  const format = knownFormat(schema);
  if (type === "" && !intOrString && format === "") return undefined;
  const found = typeOf(value);
  if (hasType(schema, found)) return undefined;
  const isText = found === "string" || found === "array";
  if (format !== "" && !isText) return wrongTypeAt(at(), format, numberFormat(found));
  // The format of a text is checked instead of its type.
  if (format !== "" && !intOrString) return undefined;
  return wrongTypeAt(at(), typeNames(schema), found);
}

/** Kubernetes tells the first problem of a text alone. */
export function stringError(schema: Schema, text: string, at: PlaceOf): FieldError | undefined {
  return lengthError(schema, text, at) ?? patternError(schema, text, at);
}

export function lengthError(schema: Schema, text: string, at: PlaceOf): FieldError | undefined {
  const { maxLength, minLength } = schema;
  if (maxLength !== undefined && text.length > maxLength && runes(text) > maxLength) {
    return tooLongAt(at(), maxLength);
  }
  if (minLength !== undefined && (text.length < minLength || runes(text) < minLength)) {
    return shouldAt(at(), text, `should be at least ${minLength} chars long`);
  }
  return undefined;
}

export function patternError(schema: Schema, text: string, at: PlaceOf): FieldError | undefined {
  const { pattern } = schema;
  if (pattern !== "") tick(ticksPerMatch + text.length);
  if (pattern === "" || isMatch(pattern, text)) return undefined;
  const problem = regexProblem(pattern);
  const shown = problem === undefined ? pattern : `${pattern}, but pattern is invalid: ${problem}`;
  return shouldAt(at(), text, `should match '${shown}'`);
}

export function formatError(schema: Schema, text: string, at: PlaceOf): FieldError | undefined {
  const isValid = formatCheck(knownFormat(schema));
  if (isValid === undefined || isValid(text)) return undefined;
  return wrongTypeAt(at(), schema.format, text);
}

export function numberErrors(
  schema: Schema,
  value: number | bigint,
  at: PlaceOf,
  errors: FieldError[],
): void {
  const { minimum, maximum, multipleOf, exclusiveMinimum, exclusiveMaximum } = schema;
  // Bounds of integers lose their fraction first.
  const isWhole = typeof value === "bigint" || Number.isInteger(value);
  const native = isWhole ? Math.trunc : (bound: number) => bound;
  if (multipleOf !== undefined) {
    const factor = native(multipleOf);
    if (factor <= 0) errors.push(notPositiveFactor(at(), factor));
    else if (!isMultiple(value, factor)) {
      errors.push(shouldAt(at(), value, `should be a multiple of ${goNumber(factor)}`));
    }
  }
  if (minimum !== undefined) {
    const bound = native(minimum);
    if (exclusiveMinimum ? value <= bound : value < bound) {
      const than = exclusiveMinimum ? "greater than" : "greater than or equal to";
      errors.push(shouldAt(at(), value, `should be ${than} ${goNumber(bound)}`));
    }
  }
  if (maximum !== undefined) {
    const bound = native(maximum);
    if (exclusiveMaximum ? value >= bound : value > bound) {
      const than = exclusiveMaximum ? "less than" : "less than or equal to";
      errors.push(shouldAt(at(), value, `should be ${than} ${goNumber(bound)}`));
    }
  }
}

export function listErrors(
  schema: Schema,
  list: readonly Json[],
  at: PlaceOf,
  errors: FieldError[],
): void {
  const { minItems, maxItems } = schema;
  const count = list.length;
  if (minItems !== undefined && count < minItems) {
    errors.push(shouldAt(at(), count, `should have at least ${minItems} items`));
  }
  if (maxItems !== undefined && count > maxItems) errors.push(tooManyAt(at(), count, maxItems));
  if (schema.uniqueItems && hasDuplicates(list)) {
    errors.push(shouldAt(at(), "", "shouldn't contain duplicates"));
  }
}

export function sizeErrors(
  schema: Schema,
  object: JsonObject,
  at: PlaceOf,
  errors: FieldError[],
): void {
  const { minProperties, maxProperties } = schema;
  if (minProperties === undefined && maxProperties === undefined) return;
  const count = Object.keys(object).length;
  if (minProperties !== undefined && count < minProperties) {
    errors.push(shouldAt(at(), count, `should have at least ${minProperties} properties`));
  }
  if (maxProperties !== undefined && count > maxProperties) {
    errors.push(tooManyAt(at(), count, maxProperties));
  }
}

/** Null is in no enum, not even in one that lists it. */
export function enumError(schema: Schema, value: Json, at: PlaceOf): FieldError | undefined {
  const allowed = schema.enum;
  if (allowed.length === 0) return undefined;
  if (value !== null && isListed(allowed, value)) return undefined;
  return notInEnum(at(), value, allowed);
}

/** The type of a value in the words of a schema. */
function typeOf(value: Json): string {
  switch (typeof value) {
    case "string":
      return "string";
    case "boolean":
      return "boolean";
    case "bigint":
      return "integer";
    case "number":
      return Number.isInteger(value) && Math.abs(value) <= maxInteger ? "integer" : "number";
    default:
      if (value === null) return "null";
      return Array.isArray(value) ? "array" : "object";
  }
}

/** Whether the node has a format that texts are checked against; others are ignored. */
export function knownFormat({ format, type, intOrString }: Schema): string {
  if (format === "" || (type !== "" && type !== "string" && !intOrString)) return "";
  return formatCheck(format) === undefined ? "" : format;
}

/** Larger numbers are floats in Kubernetes, however they are written. */
const maxInteger = 2 ** 63;

function hasType({ type, intOrString }: Schema, found: string): boolean {
  if (intOrString) return found === "integer" || found === "string";
  return type === found || (type === "number" && found === "integer");
}

function typeNames({ type, intOrString }: Schema): string {
  return intOrString ? "integer,string" : type;
}

function numberFormat(found: string): string {
  if (found === "integer") return "int64";
  return found === "number" ? "float64" : "";
}

/** Go converts numbers before it compares them: 1.5 is a listed 1, and 97 is a listed "a". */
function isListed(allowed: readonly Json[], value: Json): boolean {
  const items = itemsOf(allowed);
  if (items.has(keyOf(value))) return true;
  if (typeof value === "bigint") return items.has(Number(value));
  if (typeof value !== "number") return false;
  if (items.has(Math.trunc(value))) return true;
  const isCharacter = Number.isInteger(value) && value >= 0 && value <= 0x10ffff;
  return isCharacter && items.has(String.fromCodePoint(value));
}

/** The items of each enum, so that a long list of values and a long enum do not multiply. */
const listed = new WeakMap<readonly Json[], ReadonlySet<unknown>>();

function itemsOf(allowed: readonly Json[]): ReadonlySet<unknown> {
  let items = listed.get(allowed);
  if (items === undefined) {
    items = new Set(allowed.map(keyOf));
    listed.set(allowed, items);
  }
  return items;
}

/** Equal for equal values: itself, or for an object or list a text that no string has. */
function keyOf(value: Json): unknown {
  if (typeof value === "object" && value !== null) return `\0${canonicalJson(value)}`;
  const isLarge = typeof value === "number" && Math.abs(value) > Number.MAX_SAFE_INTEGER;
  return isLarge && Number.isInteger(value) ? integerOf(BigInt(value)) : value;
}

function isMatch(pattern: string, text: string): boolean {
  try {
    return compileRegex(pattern)(text);
  } catch {
    return false;
  }
}

/** Characters (code points); only texts with surrogates are longer than that. */
function runes(text: string): number {
  let count = text.length;
  for (let i = 0; i < text.length - 1; i++) {
    const isPair = isHigh(text.charCodeAt(i)) && isLow(text.charCodeAt(i + 1));
    if (!isPair) continue;
    count -= 1;
    i += 1;
  }
  return count;
}

function isHigh(code: number): boolean {
  return code >= 0xd800 && code < 0xdc00;
}

function isLow(code: number): boolean {
  return code >= 0xdc00 && code < 0xe000;
}

function isMultiple(value: number | bigint, factor: number): boolean {
  if (typeof value === "bigint") return value % BigInt(factor) === 0n;
  if (Number.isInteger(value)) return value % factor === 0;
  const quotient = factor < 1 ? (1 / factor) * value : value / factor;
  if (!Number.isFinite(quotient) || Math.abs(quotient) > Number.MAX_SAFE_INTEGER) return false;
  const whole = Math.trunc(quotient);
  if (quotient === whole) return true;
  const difference = Math.abs(quotient - whole);
  return whole !== 0 && difference / (Math.abs(quotient) + Math.abs(whole)) < 1e-9;
}

function hasDuplicates(list: readonly Json[]): boolean {
  return new Set(list.map(keyOf)).size < list.length;
}

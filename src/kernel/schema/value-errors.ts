// The errors of values that do not fit their schema, in the words of the Kubernetes API server.
// Its validator names a field relative to the value it was given, while the error's path has
// what is in front of it, too; hence both.

import {
  invalidField,
  requiredField,
  tooLongField,
  tooManyItems,
  unsupportedField,
  wrongType,
} from "../field-error.ts";
import type { FieldError } from "../field-error.ts";
import type { Json } from "../json.ts";
import { goNumber, goQuote } from "../go-text.ts";
import { limits } from "../limits.ts";
import { childPath, shownPath } from "./trail.ts";

/** Where the value is: what is in front of it, and its name in the document that is checked. */
export interface Place {
  readonly prefix: string;
  readonly name: string;
}

/** `found` is the name of a type, or the text that is not in the format. */
export function wrongTypeAt(place: Place, wanted: string, found: string): FieldError {
  const { name: subject } = place;
  return { ...wrongType(pathOf(place), found, `must be of type ${wanted}`), subject };
}

export function requiredAt({ prefix, name }: Place, key: string): FieldError {
  return requiredField(pathOf({ prefix, name: childPath(name, key) }));
}

export function notInEnum(place: Place, value: Json, allowed: readonly Json[]): FieldError {
  return unsupportedField(pathOf(place), value, shownItems(allowed));
}

/** As many items of an enum as an answer shows of one problem. */
function shownItems(allowed: readonly Json[]): readonly string[] {
  const texts: string[] = [];
  let chars = 0;
  for (const item of allowed) {
    const text = typeof item === "string" ? item : JSON.stringify(item);
    chars += text.length + 4;
    if (chars > limits.maxShownProblemChars) return [...texts, "..."];
    texts.push(text);
  }
  return texts;
}

export function tooLongAt(place: Place, max: number): FieldError {
  return tooLongField(pathOf(place), max);
}

export function tooManyAt(place: Place, count: number, max: number): FieldError {
  return tooManyItems(pathOf(place), count, max);
}

/** "spec.size in body should be at least ..." */
export function shouldAt(place: Place, value: Json, should: string): FieldError {
  return { ...invalidField(pathOf(place), value, should), subject: place.name };
}

export function notPositiveFactor(place: Place, factor: number): FieldError {
  const detail =
    `factor MultipleOf declared for ${place.name} must be positive: ` + goNumber(factor);
  return invalidField(pathOf(place), factor, detail);
}

export function forbiddenProperty(place: Place, key: string): FieldError {
  const detail = `${place.name}.${key} in body is a forbidden property`;
  return invalidField(pathOf(place), key, detail);
}

/** Failures of allOf, anyOf, oneOf and not carry no path of their own. */
export function junctorError({ prefix, name }: Place, must: string): FieldError {
  return invalidField(shownPath(prefix), "", `${goQuote(name)} ${must}`);
}

function pathOf({ prefix, name }: Place): string {
  const bare = name.startsWith(".") ? name.slice(1) : name;
  return shownPath(bare === "" ? prefix : childPath(prefix, bare));
}

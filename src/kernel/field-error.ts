// What is wrong with one field of a document, in the words of the Kubernetes API, whose clients
// show these messages and whose tools compare them. Values are quoted as Go would quote them.

import { canonicalJson } from "./canonical-json.ts";
import { goNumber, goQuote } from "./go-text.ts";
import type { Json } from "./json.ts";

export type FieldErrorType =
  | "NotFound"
  | "Required"
  | "Duplicate"
  | "Invalid"
  | "NotSupported"
  | "Forbidden"
  | "TooLong"
  | "TooMany"
  | "InternalError"
  | "TypeInvalid";

export interface FieldError {
  readonly type: FieldErrorType;
  /** As in "spec.ports[0].name"; "<nil>" stands for the whole document. */
  readonly field: string;
  /** Without the field, as in `Invalid value: "x": must be short`. */
  readonly message: string;
  /** Where the message was computed from values: from which, and what it says without them. */
  readonly computed?: ComputedMessage;
}

export interface ComputedMessage {
  /** The field whose value, and all in it, the message may tell; empty for the whole document. */
  readonly of: string;
  readonly plain: string;
}

/** "FieldValueRequired", as clients find it in the causes of a Status. */
export function causeReason(type: FieldErrorType): string {
  if (type === "InternalError") return type;
  return `FieldValue${type}`;
}

/** "spec.size: Required value"; a list of several stands in brackets. */
export function formatFieldErrors(errors: readonly FieldError[]): string {
  const texts = [...new Set(errors.map(({ field, message }) => `${field}: ${message}`))];
  return texts.length === 1 ? texts.join("") : `[${texts.join(", ")}]`;
}

export function invalidField(field: string, value: Json | undefined, detail: string): FieldError {
  return {
    type: "Invalid",
    field,
    message: withDetail(`Invalid value: ${goValue(value)}`, detail),
  };
}

export function wrongType(field: string, value: Json | undefined, detail: string): FieldError {
  const message = withDetail(`Invalid value: ${goValue(value)}`, detail);
  return { type: "TypeInvalid", field, message };
}

export function requiredField(field: string, detail = ""): FieldError {
  return { type: "Required", field, message: withDetail("Required value", detail) };
}

export function duplicateField(field: string, value: Json): FieldError {
  return { type: "Duplicate", field, message: `Duplicate value: ${goValue(value)}` };
}

export function forbiddenField(field: string, detail: string): FieldError {
  return { type: "Forbidden", field, message: withDetail("Forbidden", detail) };
}

export function unsupportedField(
  field: string,
  value: Json | undefined,
  supported: readonly string[],
): FieldError {
  const names = supported.map(goQuote).join(", ");
  const detail = names === "" ? "" : `supported values: ${names}`;
  const message = withDetail(`Unsupported value: ${goValue(value)}`, detail);
  return { type: "NotSupported", field, message };
}

export function tooLongField(field: string, maxBytes: number): FieldError {
  return {
    type: "TooLong",
    field,
    message: `Too long: may not be more than ${maxBytes} byte${maxBytes === 1 ? "" : "s"}`,
  };
}

export function tooManyItems(field: string, count: number, max: number): FieldError {
  const message = `Too many: ${count}: must have at most ${max} item${max === 1 ? "" : "s"}`;
  return { type: "TooMany", field, message };
}

/** Strings are quoted, everything else is JSON as Go writes it; an absent value is null. */
export function goValue(value: Json | undefined): string {
  if (value === undefined) return "null";
  if (typeof value === "string") return goQuote(value);
  if (typeof value === "number") return goNumber(value);
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  return canonicalJson(value).replaceAll(/[<>&\u2028\u2029]/g, unicodeEscape);
}

function unicodeEscape(char: string): string {
  return `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

function withDetail(text: string, detail: string): string {
  return detail === "" ? text : `${text}: ${detail}`;
}

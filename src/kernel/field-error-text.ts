// Field errors in the words of the Kubernetes API, whose clients show these messages and whose
// tools compare them. Values are quoted as Go would quote them.

import { canonicalJson } from "./canonical-json.ts";
import type { FieldError, FieldErrorKind } from "./field-error.ts";
import { goNumber, goQuote } from "./go-text.ts";
import type { Json } from "./json.ts";

const reasons: Readonly<Record<FieldErrorKind, string>> = {
  "not-found": "FieldValueNotFound",
  required: "FieldValueRequired",
  duplicate: "FieldValueDuplicate",
  invalid: "FieldValueInvalid",
  type: "FieldValueTypeInvalid",
  unsupported: "FieldValueNotSupported",
  forbidden: "FieldValueForbidden",
  immutable: "FieldValueInvalid",
  "too-long": "FieldValueTooLong",
  "too-many": "FieldValueTooMany",
  internal: "InternalError",
  unknown: "FieldValueInvalid",
};

/** "FieldValueRequired", as clients find it in the causes of a Status. */
export function causeReason(kind: FieldErrorKind): string {
  return reasons[kind];
}

/** "spec.size: Required value"; several are in brackets. */
export function formatFieldErrors(errors: readonly FieldError[]): string {
  const texts = [...new Set(errors.map(fieldErrorText))];
  return texts.length === 1 ? texts.join("") : `[${texts.join(", ")}]`;
}

/** "spec.size: Required value" */
export function fieldErrorText(error: FieldError): string {
  return `${error.path}: ${fieldMessage(error)}`;
}

const starts: Readonly<Record<FieldErrorKind, string>> = {
  "not-found": "Not found",
  required: "Required value",
  duplicate: "Duplicate value",
  invalid: "Invalid value",
  type: "Invalid value",
  unsupported: "Unsupported value",
  forbidden: "Forbidden",
  immutable: "Invalid value",
  "too-long": "Too long",
  "too-many": "Too many",
  internal: "Internal error",
  unknown: "Unknown field",
};

/** Without the field, as in `Invalid value: "x": must be short`. */
export function fieldMessage(error: FieldError): string {
  const value = "value" in error ? [shownValue(error)] : [];
  const detail = detailText(error);
  return [starts[error.kind], ...value, ...(detail === "" ? [] : [detail])].join(": ");
}

/** The detail as Kubernetes words it; the text of a value with the wrong type follows it again. */
function detailText(error: FieldError): string {
  const { kind, detail, subject, supported = [] } = error;
  if (kind === "unsupported" && supported.length > 0) {
    return `supported values: ${supported.map(goQuote).join(", ")}`;
  }
  if (subject === undefined) return detail;
  const text = `${subject} in body ${detail}`;
  return kind === "type" ? `${text}: ${shownValue(error)}` : text;
}

function shownValue({ value, shown }: FieldError): string {
  return shown ?? goValue(value);
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

// Field errors in plain English, for surfaces whose protocol does not fix the words. The field is
// named next to these words, so they do not repeat it.

import type { FieldError } from "./field-error.ts";
import { goValue } from "./field-error-text.ts";

/** As in "is required", or "is refused: it should be at least 3 chars long, not 'X'". */
export function plainWords(error: FieldError): string {
  if (error.kind !== "required") return `is refused: ${refusedWords(error)}`;
  return error.detail === "" ? "is required" : `is required: ${error.detail}`;
}

/** What is wrong, without the field: "it should be at least 3 chars long, not 'X'". */
export function refusedWords(error: FieldError): string {
  const { kind, detail, subject, supported = [], value } = error;
  switch (kind) {
    case "required":
      return detail === "" ? "it is required" : `it is required: ${detail}`;
    case "unsupported": {
      if (supported.length === 0) return `it cannot be ${quoted(error)}`;
      const names = supported.map((name) => `'${name}'`).join(", ");
      return `it must be one of ${names}, not ${quoted(error)}`;
    }
    case "duplicate":
      if (value === undefined) return "it is there more than once";
      return `it holds ${quoted(error)} more than once`;
    case "too-long":
      return `it ${detail}`;
    case "too-many":
      return typeof value === "number" ? `it ${detail}, not ${value}` : detail;
    case "unknown":
      return detail === "" ? "it is not a known field" : detail;
    default:
      if (subject !== undefined) return `it ${detail}${notValue(error)}`;
      // The client knows the value that it sent, and the words of the author say everything.
      return detail === "" ? `it cannot be ${quoted(error)}` : detail;
  }
}

function notValue(error: FieldError): string {
  const { kind, value } = error;
  if (value === undefined || value === "") return "";
  return `, not ${kind === "type" && isTypeName(value) ? value : quoted(error)}`;
}

const typeNames: ReadonlySet<unknown> = new Set([
  "null",
  "string",
  "boolean",
  "integer",
  "number",
  "array",
  "object",
  "int64",
  "float64",
]);

function isTypeName(value: unknown): value is string {
  return typeNames.has(value);
}

function quoted({ value, shown }: FieldError): string {
  return (shown ?? goValue(value)).replaceAll('"', "'");
}

/** Ends with a full stop. */
export function sentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}

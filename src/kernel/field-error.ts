// What is wrong with one field of a document, as plain data: it can be sent to another thread, and
// every surface words it for its own clients (see ADR 18). The value is apart from the detail, so
// that it can be hidden in one place (hidden-values.ts). A detail never repeats the value, except
// where `computed` says so.

import type { Json, JsonObject } from "./json.ts";
import { isJsonArray } from "./json.ts";

export type FieldErrorKind =
  | "not-found"
  | "required"
  | "duplicate"
  | "invalid"
  /** The value has the wrong type or format. */
  | "type"
  /** The value is not one of those that `supported` lists. */
  | "unsupported"
  | "forbidden"
  /** The field cannot be changed after creation. */
  | "immutable"
  | "too-long"
  | "too-many"
  | "internal"
  /** The kind does not declare the field. */
  | "unknown";

/** A type and not an interface, because it is stored in the details of an error, as JSON. */
export type FieldError = {
  readonly kind: FieldErrorKind;
  /** As in "spec.ports[0].name"; "<nil>" is the whole document. */
  readonly path: string;
  readonly detail: string;
  /** The value that is wrong; absent when no surface quotes it. For "too-many", the number. */
  readonly value?: Json;
  /** The name that the validator of schemas has for the value, as in "spec.size in body should". */
  readonly subject?: string;
  readonly supported?: readonly string[];
  /** The value is a key of the path and not a value of the document. */
  readonly isName?: true;
  /** The text of the value where Kubernetes prints its own structure in place of it. */
  readonly shown?: string;
  /** Where the detail was computed from values: from which, and the detail without them. */
  readonly computed?: ComputedDetail;
};

export type ComputedDetail = {
  /** The field whose value, and everything in it, the detail may contain; empty for all. */
  readonly of: string;
  readonly plain: string;
};

/** The field errors that the details of a SetpointError hold. */
export function fieldErrorsOf(details: JsonObject): readonly FieldError[] {
  const { fields } = details;
  return isJsonArray(fields) ? (fields as unknown as readonly FieldError[]) : [];
}

/** An absent value is null. */
export function invalidField(path: string, value: Json | undefined, detail: string): FieldError {
  return { kind: "invalid", path, value: value ?? null, detail };
}

/** A key of the path is wrong, which is not hidden where its value is. */
export function invalidName(path: string, name: string, detail: string): FieldError {
  return { kind: "invalid", path, value: name, isName: true, detail };
}

/** The value is the name of a type, or a text that is not in the format. */
export function wrongType(path: string, value: Json | undefined, detail: string): FieldError {
  return { kind: "type", path, value: value ?? null, detail };
}

export function requiredField(path: string, detail = ""): FieldError {
  return { kind: "required", path, detail };
}

export function duplicateField(path: string, value: Json): FieldError {
  return { kind: "duplicate", path, value, detail: "" };
}

export function forbiddenField(path: string, detail: string): FieldError {
  return { kind: "forbidden", path, detail };
}

export function unsupportedField(
  path: string,
  value: Json | undefined,
  supported: readonly string[],
): FieldError {
  return { kind: "unsupported", path, value: value ?? null, detail: "", supported };
}

export function tooLongField(path: string, maxBytes: number): FieldError {
  const detail = `may not be more than ${maxBytes} byte${maxBytes === 1 ? "" : "s"}`;
  return { kind: "too-long", path, detail };
}

export function tooManyItems(path: string, count: number, max: number): FieldError {
  const detail = `must have at most ${max} item${max === 1 ? "" : "s"}`;
  return { kind: "too-many", path, value: count, detail };
}

// Errors that are not field errors and may still contain values of hidden fields: those of readers
// of documents, and those in the words of somebody else, such as webhooks and policies. The latter
// are searched for the hidden texts of the documents that they are about.

import { SetpointError, isSetpointError } from "../../kernel/errors.ts";
import { hiddenText, hiddenTexts, isHiding } from "../../kernel/hidden-values.ts";
import type { Hiding } from "../../kernel/hidden-values.ts";
import type { Json, JsonObject } from "../../kernel/json.ts";
import type { ServedKind } from "../kinds/served-kind.ts";
import { badRequest } from "../refusals.ts";
import { withoutHidden } from "./hidden-fields.ts";

/** Reads a document. An error is about the part of it that may be shown. */
export function readHiding<T extends Json, R>(
  { kind, hasHidden }: Pick<ServedKind, "kind" | "hasHidden">,
  document: T,
  read: (given: T) => R,
): R {
  try {
    return read(document);
  } catch (error) {
    if (!hasHidden || !isSetpointError(error, "request.invalid")) throw error;
    read(withoutHidden(kind, document));
    throw badRequest("a hidden field has a value that cannot be read");
  }
}

/** What replaces the hidden texts of documents in a text; undefined when there is none. */
export function hiddenTextFilter(
  kind: Hiding,
  documents: readonly (Json | undefined)[],
): ((text: string) => string) | undefined {
  if (!isHiding(kind)) return undefined;
  const found = new Set<string>();
  for (const document of documents) {
    for (const text of document === undefined ? [] : hiddenTexts(kind, document)) found.add(text);
  }
  // The longest first: one text may be part of another.
  const texts = [...found].sort((a, b) => b.length - a.length);
  if (texts.length === 0) return undefined;
  return (given) => texts.reduce((text, value) => text.replaceAll(value, hiddenText), given);
}

/** The error without hidden texts; other errors than SetpointErrors show nothing to clients. */
export function withoutHiddenTexts(
  filter: ((text: string) => string) | undefined,
  error: unknown,
): unknown {
  if (filter === undefined || !isSetpointError(error)) return error;
  const { code, message, details, suggestion, cause } = error;
  const text = JSON.stringify(details);
  const shown = filter(text);
  const isSame = filter(message) === message && shown === text;
  if (isSame) return error;
  return new SetpointError(code, filter(message), {
    details: filteredJson(filter, details) as JsonObject,
    suggestion,
    cause,
  });
}

function filteredJson(filter: (text: string) => string, value: Json): Json {
  if (typeof value === "string") return filter(value);
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((item: Json) => filteredJson(filter, item));
  const entries = Object.entries(value as JsonObject);
  return Object.fromEntries(entries.map(([key, item]) => [key, filteredJson(filter, item)]));
}

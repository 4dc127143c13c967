// Field errors of kinds with hidden fields. They quote the value that is wrong, or the object that
// holds it, and a patch is judged together with what is stored: so whoever may patch could make
// the server read hidden values out. Errors at, below or above a hidden value show a stand-in.
// What the author of a schema writes into a message is shown as it is; where a message is computed
// from something that holds a hidden value, what the author wrote in its place is.

import { isSetpointError } from "../../kernel/errors.ts";
import type { FieldError } from "../../kernel/field-error.ts";
import type { Json } from "../../kernel/json.ts";
import type { Kind } from "../../kernel/kind.ts";
import type { Tokens } from "../../kernel/pointer.ts";
import type { ServedKind } from "../kinds/served-kind.ts";
import { badRequest } from "../refusals.ts";
import { hiddenPlaces, withoutHidden } from "./hidden-fields.ts";

export const hiddenText = "[hidden]";

/** The errors without hidden values; `documents` are those that the errors may quote. */
export function withoutHiddenValues(
  kind: Pick<Kind, "fieldRules">,
  errors: readonly FieldError[],
  documents: readonly Json[],
): readonly FieldError[] {
  const places = documents.flatMap((document) => hiddenPlaces(kind, document).map(textOf));
  if (places.length === 0) return errors;
  const hidden = new Set(places);
  const around = new Set(places.flatMap(prefixesOf));
  const isTouching = (given: string): boolean => {
    const field = plain(given);
    return around.has(field) || prefixesOf(field).some((prefix) => hidden.has(prefix));
  };
  return errors.map((error) => {
    const { computed } = error;
    const isTold = computed === undefined || !isTouching(computed.of);
    const message = isTold ? error.message : computed.plain;
    if (isTouching(error.field)) return { ...error, message: withoutValue(message) };
    return isTold ? error : { ...error, message };
  });
}

/** Reads a document; what is wrong with it is told of the part of it that may be shown. */
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

/** Keys may hold dots and brackets, so fields and places are compared as text, written alike. */
function textOf(place: Tokens): string {
  return plain(place.join("."));
}

function plain(field: string): string {
  const text = field === "<nil>" ? "" : field;
  return text.replaceAll("[", ".").replaceAll("]", "").replace(/^\./, "");
}

/** The text itself and each part of it that ends before a dot; the empty text is around all. */
function prefixesOf(text: string): readonly string[] {
  const prefixes = ["", text];
  for (let dot = text.indexOf("."); dot >= 0; dot = text.indexOf(".", dot + 1)) {
    prefixes.push(text.slice(0, dot));
  }
  return prefixes;
}

const quoting = /^(Invalid value|Duplicate value|Unsupported value): /;
const shownHidden = JSON.stringify(hiddenText);

function withoutValue(message: string): string {
  const [start = ""] = quoting.exec(message) ?? [];
  if (start === "") return message;
  const rest = message.slice(start.length);
  const length = valueLength(rest);
  // Broken rules of objects and lists come with the words of their author alone.
  if (length === undefined) return start + withoutEcho(rest);
  return start + shownHidden + withoutEcho(rest.slice(length));
}

/** How long the quoted value is, or undefined when there is none that ends where values end. */
function valueLength(text: string): number | undefined {
  const scalar = /^(?:"(?:[^"\\]|\\.)*"|-?\d[\d.e+-]*|true|false|null)(?=: |$)/s.exec(text);
  if (scalar !== null) return scalar[0].length;
  if (/^(?:map\[|&)/.test(text)) return text.length;
  if (!/^[[{]/.test(text)) return undefined;
  const end = closingBracket(text);
  return end === undefined || !/^(?:: |$)/.test(text.slice(end)) ? text.length : end;
}

/** Where the object or list that the text begins with ends. */
function closingBracket(text: string): number | undefined {
  let depth = 0;
  for (const { 0: token, index } of text.matchAll(/"(?:[^"\\]|\\.)*"|[[\]{}]/gs)) {
    if (token === "{" || token === "[") depth++;
    if (token === "}" || token === "]") depth--;
    if (depth === 0) return index + token.length;
  }
  return undefined;
}

/** Some details repeat a value: a text that has not its format, and what a rule stumbled over. */
function withoutEcho(detail: string): string {
  return detail
    .replace(/( in body must be of type [^:"]*: )".*"$/s, `$1${shownHidden}`)
    .replace(/^(: |)'?no such overload.*?'?: call arguments/s, `$1${hiddenText}: call arguments`)
    .replace(/^(: |).* evaluating rule: /s, `$1${hiddenText} evaluating rule: `);
}

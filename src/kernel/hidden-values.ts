// The one place that hides values in errors (see ADR 18). A field error at, below or above a hidden
// field quotes no value, and its detail is the one that no value was computed into. The rules of
// the kind alone decide, and not the document: an answer that depends on a hidden value would
// reveal it. Keys may contain dots and brackets, so paths are compared as text. Then `*` may stand
// for more than one key, which hides too much and never too little.

import type { FieldError } from "./field-error.ts";
import { isNumber } from "./int64.ts";
import { isJsonArray } from "./json.ts";
import type { Json } from "./json.ts";
import { getAt, parsePointer } from "./pointer.ts";
import type { Tokens } from "./pointer.ts";
import type { Kind } from "./kind.ts";
import { withoutKey } from "./without-key.ts";

export const hiddenText = "[hidden]";

export interface Hiding {
  readonly group?: string;
  readonly names?: { readonly kind: string };
  readonly fieldRules?: Kind["fieldRules"];
}

/** Whether a kind has values that no error, event, audit record or log line may contain. */
export function isHiding(kind: Hiding): boolean {
  return hiddenSegments(kind).length > 0;
}

/** The places whose values are hidden: those of the rules, and the content of a Secret. */
export function hiddenSegments(kind: Hiding): readonly Tokens[] {
  if (kind.group === "" && kind.names?.kind === "Secret") return secretContent;
  const found: Tokens[] = [];
  for (const { rule, segments } of kind.fieldRules ?? []) {
    if (rule === "write-only" || rule === "secret") found.push(segments);
  }
  return found;
}

/** The keys of a Secret are shown, as kubectl shows them. */
const secretContent: readonly Tokens[] = ["/data/*", "/stringData/*"].map(parsePointer);

export function withoutHiddenValues(
  kind: Hiding,
  errors: readonly FieldError[],
): readonly FieldError[] {
  if (errors.length === 0) return errors;
  const places = hiddenSegments(kind).map(matcherOf);
  return places.length === 0 ? errors : errors.map((error) => hidden(places, error));
}

/** A path as an error may show it: what is inside of a hidden field is left out. */
export function shownFieldPath(kind: Hiding, path: string): string {
  const places = hiddenSegments(kind).map(matcherOf);
  return places.length === 0 ? path : withoutInside(places, path);
}

function hidden(places: readonly Matcher[], error: FieldError): FieldError {
  const { computed, value, path, isName } = error;
  const isComputed = computed !== undefined && places.some(({ touches }) => touches(computed.of));
  const detail = isComputed ? computed.plain : error.detail;
  const shownPath = withoutInside(places, path);
  const isShown =
    value === undefined ||
    value === null ||
    error.kind === "too-many" ||
    (isName === true && shownPath === path) ||
    !places.some((place) => place.hides(error, value));
  if (isShown && shownPath === path && !isComputed) return error;
  if (isShown) return { ...error, path: shownPath, detail };
  return { ...withoutKey(error, "shown"), path: shownPath, detail, value: hiddenText };
}

interface Matcher {
  /** Whether the path is hidden, is inside of something hidden, or has something hidden inside. */
  readonly touches: (path: string) => boolean;
  /** Whether the value of the error is hidden, or has or replaces something hidden inside. */
  readonly hides: (error: FieldError, value: Json) => boolean;
  /** The length of the part of the path that names the hidden field; undefined outside of it. */
  readonly inside: (plain: string) => number | undefined;
}

/**
 * Characters of a path that is compared with a hidden field; with several `*`, each of them may
 * stand for any part of the path. What is longer, and may be inside of the field, is hidden.
 */
const longPath = 16_384;
const shortPath = 512;

/** What every path to the field begins with. */
function knownPrefix(segments: Tokens): string {
  const at = segments.indexOf("*");
  return segments.slice(0, at < 0 ? segments.length : at).join(".");
}

const matchers = new WeakMap<Tokens, Matcher>();

function matcherOf(segments: Tokens): Matcher {
  const found = matchers.get(segments);
  if (found !== undefined) return found;
  const known = knownPrefix(segments);
  const most = segments.filter((segment) => segment === "*").length > 1 ? shortPath : longPath;
  const isTooLong = (plain: string): boolean => plain.length > most && plain.startsWith(known);
  const parts = segments.map((segment) => (segment === "*" ? ".+?" : escaped(segment)));
  const at = new RegExp(`^${parts.join("\\.")}(?=\\.|$)`, "s");
  const above = parts.map((_, depth) => new RegExp(`^${parts.slice(0, depth).join("\\.")}$`, "s"));
  // A text next to a hidden field is not above it, even if `*` may stand for several keys.
  const narrow = above.map(({ source }) => new RegExp(source.replaceAll(".+?", "[^.]+"), "s"));
  const restAt = (plain: string): Tokens | undefined => {
    const depth = above.findLastIndex((pattern) => pattern.test(plain));
    return depth < 0 ? undefined : segments.slice(depth);
  };
  const made: Matcher = {
    touches: (path) => {
      const plain = plainOf(path);
      return isTooLong(plain) || at.test(plain) || restAt(plain) !== undefined;
    },
    hides: ({ path, kind, subject }, value) => {
      const plain = plainOf(path);
      if (isTooLong(plain) || at.test(plain)) return true;
      const rest = restAt(plain);
      // In place of what has the hidden field inside. A schema, which has a subject, names types.
      if (kind === "type" && subject === undefined) return rest !== undefined;
      if (typeof value !== "object") return narrow.some((pattern) => pattern.test(plain));
      return rest !== undefined && holds(value, rest);
    },
    inside: (plain) => (isTooLong(plain) ? known.length : at.exec(plain)?.[0].length),
  };
  matchers.set(segments, made);
  return made;
}

/** Whether a value has something at the segments, or on the way a value that cannot have it. */
function holds(value: Json, [segment, ...rest]: Tokens): boolean {
  if (segment === undefined) return true;
  if (value === null) return false;
  if (typeof value !== "object") return true;
  if (segment === "*") return Object.values(value).some((inner: Json) => holds(inner, rest));
  if (isJsonArray(value)) return value.length > 0;
  const inner = getAt(value, [segment]);
  return inner !== undefined && holds(inner, rest);
}

function withoutInside(places: readonly Matcher[], path: string): string {
  const plain = plainOf(path);
  const ends = places.flatMap(({ inside }) => inside(plain) ?? []);
  const end = Math.min(...ends);
  if (ends.length === 0 || plain.length === end) return path;
  return plain.slice(0, end);
}

/** "spec.a[0].b" and ".spec.a[0].b" are "spec.a.0.b"; the whole document is the empty text. */
function plainOf(path: string): string {
  const text = path === "<nil>" ? "" : path;
  return text.replaceAll("[", ".").replaceAll("]", "").replace(/^\.+/, "");
}

function escaped(text: string): string {
  return text
    .replaceAll("[", ".")
    .replaceAll("]", "")
    .replaceAll(/[\\^$.*+?()|{}]/g, String.raw`\$&`);
}

/** Shorter texts would be found in words that have nothing to do with them. */
const minHiddenChars = 4;

/** The texts and numbers in the hidden values of a document, and what Base64 text stands for. */
export function hiddenTexts(kind: Hiding, document: Json): readonly string[] {
  const texts: string[] = [];
  for (const segments of hiddenSegments(kind)) gather(document, segments, texts);
  return texts.filter((text) => text.length >= minHiddenChars);
}

function gather(value: Json, [segment, ...rest]: Tokens, texts: string[]): void {
  if (typeof value === "string") {
    texts.push(value);
    if (isBase64(value)) texts.push(Buffer.from(value, "base64").toString("utf8"));
  } else if (isNumber(value)) texts.push(String(value));
  else if (typeof value === "object" && value !== null) {
    for (const [key, inner] of Object.entries<Json>(value)) {
      if (segment === undefined || segment === "*" || segment === key) gather(inner, rest, texts);
    }
  }
}

function isBase64(text: string): boolean {
  return text.length >= minHiddenChars && /^[A-Za-z0-9+/]+={0,2}$/.test(text);
}

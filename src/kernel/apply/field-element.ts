// One step of a field path in the text form of FieldsV1: "f:name" is a field, `k:{"port":80}` an
// item of a list by its keys, `v:"x"` an item of a set, "i:0" an item by index. Every element has
// exactly one text (sorted keys, strings escaped as the Kubernetes API escapes them), so that two
// elements are equal exactly when their texts are and a field set can be a plain object.

import { canonicalJson } from "../canonical-json.ts";
import { compareNumbers, isNumber, parseExact } from "../int64.ts";
import { isJsonArray, isJsonObject } from "../json.ts";
import type { Json } from "../json.ts";

export type KeyPair = readonly [name: string, value: Json];

export type ParsedElement =
  | { readonly kind: "field"; readonly name: string }
  | { readonly kind: "key"; readonly pairs: readonly KeyPair[] }
  | { readonly kind: "value"; readonly value: Json }
  | { readonly kind: "index"; readonly index: number }
  /** Written by a future version; ignored by this one. */
  | { readonly kind: "unknown" }
  | { readonly kind: "malformed"; readonly problem: string };

export function fieldElement(name: string): string {
  return `f:${name}`;
}

/** The pairs must be sorted by name. */
export function keyElement(pairs: readonly KeyPair[]): string {
  let text = "";
  for (const [name, value] of pairs) {
    text += `${text === "" ? "" : ","}${scalarText(name)}:${scalarText(value)}`;
  }
  return `k:{${text}}`;
}

export function valueElement(value: Json): string {
  return `v:${scalarText(value)}`;
}

export function parseElement(text: string): ParsedElement {
  if (text.length < 2) return malformed("key must be 2 characters long:");
  if (text.charCodeAt(1) !== colon) return malformed(`missing colon: ${text}`);
  const rest = text.slice(2);
  switch (text.charAt(0)) {
    case "f":
      return { kind: "field", name: rest };
    case "v":
      return parsedValue(rest);
    case "k":
      return parsedKey(rest);
    case "i":
      return /^[+-]?\d{1,15}$/.test(rest)
        ? { kind: "index", index: Number(rest) }
        : malformed(`strconv.Atoi: parsing ${JSON.stringify(rest)}: invalid syntax`);
    default:
      return { kind: "unknown" };
  }
}

/** The one text of an element; undefined for an unknown or malformed one. */
export function canonicalElement(text: string): string | undefined {
  const first = text.charCodeAt(0);
  if (first === letterF && text.charCodeAt(1) === colon) return text;
  const known = canonicalTexts.get(text);
  if (known !== undefined) return known;
  const canonical = formatted(parseElement(text));
  if (canonical === undefined) return undefined;
  if (canonicalTexts.size >= maxCachedTexts) canonicalTexts.clear();
  canonicalTexts.set(text, canonical);
  return canonical;
}

/** As people read it in conflicts and errors: `.name`, `[port=80]`, `[="x"]`, `[0]`. */
export function elementLabel(text: string): string {
  const element = parseElement(text);
  switch (element.kind) {
    case "field":
      return `.${element.name}`;
    case "key":
      return `[${element.pairs.map(([name, value]) => `${name}=${valueLabel(value)}`).join(",")}]`;
    case "value":
      return `[=${valueLabel(element.value)}]`;
    case "index":
      return `[${element.index}]`;
    default:
      return "{{invalid path element}}";
  }
}

/** Fields first, then items by key, by value and by index; each by its content. */
export function sortedElements(elements: readonly string[]): readonly string[] {
  return elements
    .map((text) => ({ text, parsed: parseElement(text) }))
    .sort((a, b) => compareElements(a.parsed, b.parsed))
    .map(({ text }) => text);
}

const colon = 58;
const letterF = 102;
const maxCachedTexts = 4_096;
const canonicalTexts = new Map<string, string>();

function formatted(element: ParsedElement): string | undefined {
  switch (element.kind) {
    case "field":
      return fieldElement(element.name);
    case "key":
      return keyElement(element.pairs);
    case "value":
      return valueElement(element.value);
    case "index":
      return `i:${element.index}`;
    default:
      return undefined;
  }
}

function parsedValue(text: string): ParsedElement {
  const value = parsedJson(text);
  return value === undefined
    ? malformed(`cannot read the value ${text}`)
    : { kind: "value", value };
}

function parsedKey(text: string): ParsedElement {
  const value = parsedJson(text);
  if (!isJsonObject(value)) return malformed(`cannot read the keys ${text}`);
  const pairs = Object.keys(value)
    .sort()
    .map((name): KeyPair => [name, value[name] ?? null]);
  return { kind: "key", pairs };
}

function parsedJson(text: string): Json | undefined {
  try {
    return parseExact(text) as Json;
  } catch {
    return undefined;
  }
}

function malformed(problem: string): ParsedElement {
  return { kind: "malformed", problem };
}

/** JSON as the Kubernetes API writes it inside an element: safe to embed in HTML. */
function scalarText(value: Json): string {
  if (typeof value === "string" && plainText.test(value)) return `"${value}"`;
  const text = typeof value === "object" ? canonicalJson(value) : JSON.stringify(value);
  if (isNumber(value) || !needsEscape.test(text)) return text;
  return text
    .replaceAll("\\b", "\\u0008")
    .replaceAll("\\f", "\\u000c")
    .replaceAll(/[<>&\u2028\u2029]/g, escaped);
}

/** Most names and values: JSON writes them as they are. */
const plainText = /^[\w ./:=@+-]*$/;
const needsEscape = /[<>&\u2028\u2029]|\\[bf]/;

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

function valueLabel(value: Json): string {
  if (isJsonArray(value)) return `[${value.map(valueLabel).join(",")}]`;
  if (!isJsonObject(value)) return JSON.stringify(value);
  return Object.keys(value)
    .map((key) => `${key}=${valueLabel(value[key] ?? null)}`)
    .join("");
}

function compareElements(a: ParsedElement, b: ParsedElement): number {
  if (a.kind === "field" && b.kind === "field") return compareText(a.name, b.name);
  if (a.kind === "key" && b.kind === "key") return comparePairs(a.pairs, b.pairs);
  if (a.kind === "value" && b.kind === "value") return compareValues(a.value, b.value);
  if (a.kind === "index" && b.kind === "index") return a.index - b.index;
  return elementKinds.indexOf(a.kind) - elementKinds.indexOf(b.kind);
}

const elementKinds: readonly ParsedElement["kind"][] = ["field", "key", "value", "index"];

function compareText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

function comparePairs(a: readonly KeyPair[], b: readonly KeyPair[]): number {
  for (const [index, [name, value]] of a.entries()) {
    const other = b[index];
    if (other === undefined) return 1;
    const order = compareText(name, other[0]) || compareValues(value, other[1]);
    if (order !== 0) return order;
  }
  return a.length - b.length;
}

function compareValues(a: Json, b: Json): number {
  const rank = valueRank(a) - valueRank(b);
  if (rank !== 0) return rank;
  if (isNumber(a) && isNumber(b)) return compareNumbers(a, b);
  if (typeof a === "boolean" && typeof b === "boolean") return Number(a) - Number(b);
  const left = typeof a === "string" ? a : canonicalJson(a);
  const right = typeof b === "string" ? b : canonicalJson(b);
  return compareText(left, right);
}

function valueRank(value: Json): number {
  if (isNumber(value)) return 0;
  if (typeof value === "string") return 1;
  if (typeof value === "boolean") return 2;
  if (isJsonArray(value)) return 3;
  return value === null ? 5 : 4;
}

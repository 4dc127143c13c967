// What the parts of a schema say of a value itself: its types, which values it may have, what it is
// for, and who may write it. The dialects say the same in different ways (nullable, x-nullable, a
// type "null" among others); here they are one. What one of several variants says limits nothing,
// since another may allow it.

import { getOwn, isJsonArray, isJsonObject, setOwn } from "../../../kernel/json.ts";
import type { Json, JsonObject, MutableJsonObject } from "../../../kernel/json.ts";
import { isTrueAt, textsAt } from "../../../kernel/json-read.ts";
import { keyOf } from "./place.ts";
import type { Part } from "./tree.ts";

export type ValueType = "object" | "array" | "string" | "integer" | "number" | "boolean";

/** What a document says in so many words; see docs/reference/connect-fields.md. */
export interface Marks {
  readonly isReadOnly: boolean;
  readonly isWriteOnly: boolean;
  readonly isSecret: boolean;
  /** Of x-ms-mutability: "create", "read", "update"; absent means all three. */
  readonly mutability?: readonly string[];
}

export const noMarks: Marks = { isReadOnly: false, isWriteOnly: false, isSecret: false };

export interface Facts {
  /** None when nothing is said. */
  readonly types: readonly ValueType[];
  readonly isNullable: boolean;
  /** Services add values to it without telling, so no value is wrong. */
  readonly isOpenEnum: boolean;
  readonly description: string;
  readonly marks: Marks;
  /** format, enum, pattern, default and bounds, as they stand in the document. */
  readonly keywords: JsonObject;
  /** Of a list: the fields that tell its elements apart; none when nothing does. */
  readonly identifiers?: readonly string[];
  readonly example?: Json;
}

export function readFacts(parts: readonly Part[]): Facts {
  const types = new Set<ValueType>();
  let isNullable = false;
  const keywords: MutableJsonObject = {};
  for (const part of parts) {
    isNullable = addTypes(part, types) || isNullable;
    if (!part.isVariant) addKeywords(part, keywords);
  }
  if (getOwn(keywords, "enum") === undefined) addVariantEnum(parts, keywords);
  const first = (key: string): Json | undefined =>
    parts.map(({ schema }) => keyOf(schema, key)?.node).find((value) => value !== undefined);
  const description = first("description") ?? first("title") ?? first("summary");
  const identifiers = first("x-ms-identifiers");
  const example = first("example");
  return {
    types: [...types],
    isNullable,
    isOpenEnum: parts.some(isOpen),
    description: typeof description === "string" ? description : "",
    marks: marksOf(parts),
    keywords,
    ...(isJsonArray(identifiers) ? { identifiers: textsAt({ identifiers }, "identifiers") } : {}),
    ...(example === undefined ? {} : { example }),
  };
}

const valueTypes: ReadonlySet<string> = new Set<ValueType>([
  "object",
  "array",
  "string",
  "integer",
  "number",
  "boolean",
]);

/** True when null is a value, too. */
function addTypes({ schema }: Part, types: Set<ValueType>): boolean {
  const type = keyOf(schema, "type")?.node;
  const named = typeof type === "string" ? [type] : isJsonArray(type) ? type : [];
  for (const name of named) {
    if (typeof name === "string" && valueTypes.has(name)) types.add(name as ValueType);
    if (name === "file") types.add("string");
  }
  if (named.length === 0) {
    const has = (key: string): boolean => keyOf(schema, key) !== undefined;
    if (has("properties") || isJsonObject(keyOf(schema, "additionalProperties")?.node)) {
      types.add("object");
    } else if (has("items")) types.add("array");
  }
  return (
    named.includes("null") ||
    ["nullable", "x-nullable"].some((key) => keyOf(schema, key)?.node === true)
  );
}

const kept = [
  "format",
  "enum",
  "pattern",
  "default",
  "minimum",
  "maximum",
  "exclusiveMinimum",
  "exclusiveMaximum",
  "multipleOf",
  "minLength",
  "maxLength",
  "minItems",
  "maxItems",
  "uniqueItems",
  "minProperties",
  "maxProperties",
];

function addKeywords({ schema }: Part, keywords: MutableJsonObject): void {
  for (const key of kept) {
    const value = keyOf(schema, key)?.node;
    if (value !== undefined && getOwn(keywords, key) === undefined) setOwn(keywords, key, value);
  }
  const constant = keyOf(schema, "const")?.node;
  if (constant !== undefined && getOwn(keywords, "enum") === undefined) {
    setOwn(keywords, "enum", [constant]);
  }
}

/** Variants that all list their values allow the values of all. */
function addVariantEnum(parts: readonly Part[], keywords: MutableJsonObject): void {
  const variants = parts.filter(({ isVariant }) => isVariant);
  const lists = variants.map(({ schema }) => keyOf(schema, "enum")?.node);
  if (lists.length === 0 || !lists.every((list) => isJsonArray(list))) return;
  setOwn(keywords, "enum", [...new Set(lists.flat())]);
}

function isOpen({ schema }: Part): boolean {
  const named = keyOf(schema, "x-ms-enum")?.node;
  return isTrueAt(named, "modelAsString") || keyOf(schema, "x-extensible-enum") !== undefined;
}

function marksOf(parts: readonly Part[]): Marks {
  const always = parts.filter(({ isVariant }) => !isVariant);
  const says = (key: string): boolean =>
    always.some(({ schema }) => keyOf(schema, key)?.node === true);
  const mutability = always
    .map(({ schema }) => keyOf(schema, "x-ms-mutability"))
    .find((place) => place !== undefined && isJsonArray(place.node));
  const isPassword = always.some(({ schema }) => keyOf(schema, "format")?.node === "password");
  return {
    isReadOnly: says("readOnly"),
    isWriteOnly: says("writeOnly"),
    isSecret: says("x-ms-secret") || says("x-secret") || isPassword,
    ...(mutability === undefined
      ? {}
      : { mutability: textsAt({ of: mutability.node }, "of").map((word) => word.toLowerCase()) }),
  };
}

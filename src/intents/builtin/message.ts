// The vocabulary of the type tables: one table describes a built-in message once, and its JSON
// schema, its protobuf encoding and its normal form in JSON are all read from it. Field numbers
// are those of the Kubernetes API, since typed clients speak them; a number is never reused.
// Presence follows the API's own types: most fields vanish when empty, pointers tell "empty" from
// "absent", and a few are always written.

import { assert } from "../../kernel/assert.ts";
import type { JsonObject } from "../../kernel/json.ts";

export type Scalar =
  | "string"
  | "bool"
  | "int32"
  | "int64"
  | "double"
  /** Base64 text in JSON, plain bytes on the wire. */
  | "bytes"
  /** RFC 3339 in whole seconds. */
  | "time"
  /** RFC 3339 in microseconds. */
  | "microTime"
  | "quantity"
  | "intOrString"
  /** Any JSON, as its text on the wire. */
  | "json"
  | "fieldsV1"
  | "rawExtension"
  /** A list of strings that the wire wraps into a message of its own. */
  | "texts";

export type ValueType =
  | { readonly kind: "scalar"; readonly scalar: Scalar }
  | { readonly kind: "message"; readonly message: () => Message }
  | { readonly kind: "list"; readonly of: Shape }
  | { readonly kind: "map"; readonly of: Shape }
  /** A schema, or in its place a boolean, a list of schemas or a list of strings. */
  | {
      readonly kind: "schemaOr";
      readonly other: "bool" | "schemas" | "texts";
      readonly message: () => Message;
    };

export interface Shape {
  readonly type: ValueType;
  /** An empty value differs from an absent one. */
  readonly isPointer: boolean;
  /** Written even when empty. */
  readonly isAlways: boolean;
  readonly isRequired: boolean;
  /** Merged into the schema of the field, as in x-kubernetes-list-type. */
  readonly keywords: JsonObject;
}

export interface Field {
  readonly number: number;
  readonly shape: Shape;
  readonly description: string;
  /** The fields of the inner message stand among those of the outer one in JSON. */
  readonly isInline: boolean;
}

export interface Message {
  /** As in "io.k8s.api.core.v1.ConfigMap". */
  readonly name: string;
  readonly description: string;
  readonly fields: ReadonlyMap<string, Field>;
  readonly byNumber: ReadonlyMap<number, string>;
  /** The fields in falling order of their numbers, as writers need them. */
  readonly falling: readonly (readonly [name: string, field: Field])[];
  readonly keywords: JsonObject;
}

export type FieldInput = readonly [
  number: number,
  shape: Shape,
  description?: string,
  mode?: "inline",
];

export function message(
  name: string,
  description: string,
  inputs: Readonly<Record<string, FieldInput>>,
  keywords: JsonObject = {},
): Message {
  const fields = new Map<string, Field>();
  const byNumber = new Map<number, string>();
  for (const [key, [number, inner, text = "", mode]] of Object.entries(inputs)) {
    assert(!byNumber.has(number), `${name}.${key} has a number of its own`);
    byNumber.set(number, key);
    fields.set(key, { number, shape: inner, description: text, isInline: mode === "inline" });
  }
  const falling = [...fields].toSorted(([, a], [, b]) => b.number - a.number);
  return { name, description, fields, byNumber, falling, keywords };
}

export const string = scalar("string");
export const bool = scalar("bool");
export const int32 = scalar("int32");
export const int64 = scalar("int64");
export const double = scalar("double");
export const bytes = scalar("bytes");
export const time = scalar("time");
export const microTime = scalar("microTime");
export const quantity = scalar("quantity");
export const intOrString = scalar("intOrString");
export const json = scalar("json");
export const fieldsV1 = scalar("fieldsV1");
export const rawExtension = scalar("rawExtension");
export const texts = scalar("texts");

export function of(inner: Message): Shape {
  return shape({ kind: "message", message: () => inner });
}

/** For messages that contain themselves. */
export function lazily(inner: () => Message): Shape {
  return shape({ kind: "message", message: inner });
}

export function schemaOr(other: "bool" | "schemas" | "texts", inner: () => Message): Shape {
  return shape({ kind: "schemaOr", other, message: inner });
}

export function mapOf(inner: Shape): Shape {
  return shape({ kind: "map", of: inner });
}

/** A list that says nothing about how it is merged. */
export function list(inner: Shape): Shape {
  return shape({ kind: "list", of: inner });
}

/** A list with one owner, replaced as a whole. */
export function atomic(inner: Shape): Shape {
  return annotated(list(inner), { "x-kubernetes-list-type": "atomic" });
}

/** A list without duplicates, whose elements have owners of their own. */
export function setOf(inner: Shape): Shape {
  return annotated(list(inner), { "x-kubernetes-list-type": "set" });
}

/** A list whose elements are told apart by one of their fields. */
export function keyedBy(key: string, inner: Shape): Shape {
  const keywords = { "x-kubernetes-list-map-keys": [key], "x-kubernetes-list-type": "map" };
  return annotated(list(inner), keywords);
}

/** A list that strategic merge patches merge, too; scalars have no key. */
export function merged(inner: Shape, key?: string): Shape {
  const merge = { "x-kubernetes-patch-strategy": "merge" };
  return annotated(
    inner,
    key === undefined ? merge : { ...merge, "x-kubernetes-patch-merge-key": key },
  );
}

export function mergedBy(key: string, inner: Shape): Shape {
  return merged(keyedBy(key, inner), key);
}

/** A pointer: empty is not absent. */
export function optional(inner: Shape): Shape {
  return { ...inner, isPointer: true };
}

/** Written even when empty. */
export function always(inner: Shape): Shape {
  return { ...inner, isAlways: true };
}

/** Clients have to give it; it is written even when empty. */
export function required(inner: Shape): Shape {
  return { ...inner, isAlways: true, isRequired: true };
}

function annotated(inner: Shape, keywords: JsonObject): Shape {
  return { ...inner, keywords: { ...inner.keywords, ...keywords } };
}

function scalar(name: Scalar): Shape {
  return shape({ kind: "scalar", scalar: name });
}

function shape(type: ValueType): Shape {
  return { type, isPointer: false, isAlways: false, isRequired: false, keywords: {} };
}

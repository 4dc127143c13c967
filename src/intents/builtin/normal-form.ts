// The one way in which a built-in document is written as JSON, so that the same content always
// has the same form whoever sent it and in whichever encoding: empty values that mean nothing are
// absent, parts that every document of the kind has are present, and null stands only where the
// API has always had it. Fields that the table does not know are dropped.

import { getOwn, isJsonArray, isJsonObject, setOwn } from "../../kernel/json.ts";
import type { Json, JsonObject, MutableJsonObject } from "../../kernel/json.ts";
import type { Message, Scalar, Shape } from "./message.ts";
import { formatInstant, parseInstant } from "./times.ts";

const normalTime = /^(?!0001)\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/;
const normalMicroTime = /^(?!0001)\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/;

/** A whole document; apiVersion and kind are kept. */
export function normalDocument(message: Message, document: JsonObject): JsonObject {
  const types: MutableJsonObject = {};
  for (const name of ["kind", "apiVersion"]) {
    const value = getOwn(document, name);
    if (value !== undefined) types[name] = value;
  }
  return { ...types, ...normalForm(message, document) };
}

/** A part of a document. */
function normalForm(message: Message, object: JsonObject): JsonObject {
  const result: MutableJsonObject = {};
  addFields(result, message, object);
  return result;
}

function addFields(result: MutableJsonObject, message: Message, object: JsonObject): void {
  for (const [name, { shape, isInline }] of message.fields) {
    if (isInline && shape.type.kind === "message") {
      addFields(result, shape.type.message(), object);
      continue;
    }
    const value = normalField(shape, getOwn(object, name));
    if (value !== undefined) setOwn(result, name, value);
  }
}

function normalField(shape: Shape, given: Json | undefined): Json | undefined {
  const { type, isPointer, isAlways } = shape;
  const isAbsent = given === undefined || given === null;
  if (isAbsent && isPointer) return isAlways ? null : undefined;
  if (isAbsent && type.kind === "message") return normalForm(type.message(), {});
  const value = isAbsent ? emptyValue(shape) : normalValue(shape, given);
  const hasContent = isPointer || isAlways || !isEmpty(value);
  return hasContent || type.kind === "message" ? value : undefined;
}

function normalValue(shape: Shape, value: Json): Json {
  const { type } = shape;
  if (type.kind === "message" && isJsonObject(value)) return normalForm(type.message(), value);
  if (type.kind === "schemaOr") return normalSchema(type.message(), value);
  if (type.kind === "list" && isJsonArray(value)) {
    return value.map((item) => normalItem(type.of, item));
  }
  if (type.kind === "map" && isJsonObject(value)) {
    const map: MutableJsonObject = {};
    for (const [key, item] of Object.entries(value)) setOwn(map, key, normalItem(type.of, item));
    return map;
  }
  return type.kind === "scalar" ? normalScalar(type.scalar, value) : value;
}

/** Times are in UTC and in the precision of their type; base64 has no line breaks. */
function normalScalar(scalar: Scalar, value: Json): Json {
  if (typeof value !== "string") return value;
  if (scalar === "bytes") return /[\r\n]/.test(value) ? value.replace(/[\r\n]/g, "") : value;
  if (scalar !== "time" && scalar !== "microTime") return value;
  if ((scalar === "time" ? normalTime : normalMicroTime).test(value)) return value;
  const instant = parseInstant(value);
  if (instant === undefined) return value;
  return formatInstant(instant, scalar === "time" ? 0 : 6) ?? null;
}

/** Elements of lists and maps are never left out; a null becomes the empty value. */
function normalItem(shape: Shape, item: Json): Json {
  if (item !== null) return normalValue(shape, item);
  if (shape.type.kind === "message") return normalForm(shape.type.message(), {});
  return emptyValue(shape);
}

function normalSchema(message: Message, value: Json): Json {
  if (isJsonObject(value)) return normalForm(message, value);
  if (!isJsonArray(value)) return value;
  return value.map((item) => (isJsonObject(item) ? normalForm(message, item) : item));
}

function emptyValue(shape: Shape): Json {
  if (shape.type.kind !== "scalar") return null;
  switch (shape.type.scalar) {
    case "string":
      return "";
    case "bool":
      return false;
    case "int32":
    case "int64":
    case "double":
      return 0;
    case "quantity":
      return "0";
    default:
      return null;
  }
}

function isEmpty(value: Json): boolean {
  if (isJsonArray(value)) return value.length === 0;
  if (isJsonObject(value)) return Object.keys(value).length === 0;
  return value === null || value === "" || value === 0 || value === false;
}

// Turns protobuf bytes into the JSON that the same client would have sent as JSON, led by the type
// table of the message. Fields that are unknown are skipped, as a server older than its client
// does; empty values that JSON leaves out are left out. Nothing outside the table is ever created.

import { isSetpointError } from "../../../kernel/errors.ts";
import { getOwn, setOwn } from "../../../kernel/json.ts";
import type { Json, JsonObject, MutableJsonObject } from "../../../kernel/json.ts";
import { parseJson } from "../../../kernel/strict-json.ts";
import type { Field, Message, Scalar, Shape } from "../../../intents/builtin/message.ts";
import { formatInstant } from "../../../intents/builtin/times.ts";
import { unreadable, wire } from "./wire-reader.ts";
import type { WireReader } from "./wire-reader.ts";

export function decodeMessage(message: Message, reader: WireReader): JsonObject {
  const object: MutableJsonObject = {};
  decodeInto(object, message, reader);
  return object;
}

function decodeInto(object: MutableJsonObject, message: Message, reader: WireReader): void {
  const lists = new Map<string, Json[]>();
  const maps = new Map<string, MutableJsonObject>();
  while (!reader.isAtEnd) {
    const { number, wireType } = reader.tag();
    const name = message.byNumber.get(number);
    const field = name === undefined ? undefined : message.fields.get(name);
    if (name === undefined || field === undefined) {
      reader.skip(wireType);
      continue;
    }
    expectWireType(message, name, field.shape, wireType);
    const { type } = field.shape;
    if (field.isInline && type.kind === "message") {
      decodeInto(object, type.message(), reader.nested());
    } else if (type.kind === "list") {
      const found = lists.get(name) ?? [];
      found.push(decodeValue(type.of, reader) ?? null);
      if (found.length === 1) lists.set(name, found);
    } else if (type.kind === "map") {
      const found = maps.get(name) ?? {};
      decodeEntry(found, type.of, reader.nested());
      maps.set(name, found);
    } else setField(object, name, field, decodeValue(field.shape, reader));
  }
  for (const [name, list] of lists) setOwn(object, name, list);
  for (const [name, map] of maps) setOwn(object, name, map);
}

function setField(object: MutableJsonObject, name: string, field: Field, value?: Json): void {
  const { isAlways, isPointer } = field.shape;
  if (value === undefined) {
    // A time that is not set: only fields that are always written have a null for it.
    if (isAlways) setOwn(object, name, null);
    return;
  }
  const isEmpty = value === "" || value === 0 || value === false;
  if (isEmpty && !isPointer && !isAlways) {
    if (getOwn(object, name) !== undefined) delete object[name];
    return;
  }
  setOwn(object, name, value);
}

/** Key and value of a map are fields 1 and 2 of a message; either may be missing when empty. */
function decodeEntry(into: MutableJsonObject, shape: Shape, reader: WireReader): void {
  let key = "";
  let value: Json | undefined;
  while (!reader.isAtEnd) {
    const { number, wireType } = reader.tag();
    if (number === 1 && wireType === wire.bytes) key = reader.string();
    else if (number === 2 && wireType === wireTypeOf(shape)) value = decodeValue(shape, reader);
    else reader.skip(wireType);
  }
  setOwn(into, key, value ?? emptyValue(shape));
}

function emptyValue(shape: Shape): Json {
  if (shape.type.kind !== "scalar") return {};
  return shape.type.scalar === "texts" ? [] : shape.type.scalar === "quantity" ? "0" : "";
}

function decodeValue(shape: Shape, reader: WireReader): Json | undefined {
  const { type } = shape;
  switch (type.kind) {
    case "scalar":
      return decodeScalar(type.scalar, reader);
    case "message":
      return decodeMessage(type.message(), reader.nested());
    case "schemaOr":
      return decodeSchemaOr(type.other, type.message(), reader.nested());
    case "list":
    case "map":
      throw unreadable("a list within a list");
    default:
      return type satisfies never;
  }
}

function decodeScalar(scalar: Scalar, reader: WireReader): Json | undefined {
  switch (scalar) {
    case "string":
      return reader.string();
    case "bool":
      return reader.bool();
    case "int32":
      return reader.int32();
    case "int64":
      return reader.int64();
    case "double":
      return finite(reader.double());
    case "bytes":
      return Buffer.from(reader.bytes()).toString("base64");
    case "time":
      return decodeTime(reader.nested(), 0);
    case "microTime":
      return decodeTime(reader.nested(), 6);
    case "quantity":
      return decodeQuantity(reader.nested());
    case "intOrString":
      return decodeIntOrString(reader.nested());
    case "json":
    case "fieldsV1":
    case "rawExtension":
      return decodeRawJson(reader.nested());
    case "texts":
      return decodeTexts(reader.nested(), 1);
    default:
      return scalar satisfies never;
  }
}

function decodeTime(reader: WireReader, digits: 0 | 6): string | undefined {
  let seconds = 0;
  let nanos = 0;
  if (reader.isAtEnd) return undefined;
  while (!reader.isAtEnd) {
    const { number, wireType } = reader.tag();
    if (number === 1 && wireType === wire.varint) seconds = Number(reader.int64());
    else if (number === 2 && wireType === wire.varint) nanos = reader.int32();
    else reader.skip(wireType);
  }
  return formatInstant({ seconds, nanos }, digits);
}

function decodeQuantity(reader: WireReader): string {
  let text = "0";
  while (!reader.isAtEnd) {
    const { number, wireType } = reader.tag();
    if (number === 1 && wireType === wire.bytes) text = reader.string();
    else reader.skip(wireType);
  }
  return text;
}

function decodeIntOrString(reader: WireReader): Json {
  let isText = false;
  let whole = 0;
  let text = "";
  while (!reader.isAtEnd) {
    const { number, wireType } = reader.tag();
    if (number === 1 && wireType === wire.varint) isText = reader.int32() === 1;
    else if (number === 2 && wireType === wire.varint) whole = reader.int32();
    else if (number === 3 && wireType === wire.bytes) text = reader.string();
    else reader.skip(wireType);
  }
  return isText ? text : whole;
}

function decodeRawJson(reader: WireReader): Json {
  let text = "null";
  while (!reader.isAtEnd) {
    const { number, wireType } = reader.tag();
    if (number === 1 && wireType === wire.bytes) text = reader.string();
    else reader.skip(wireType);
  }
  try {
    return parseJson(text === "" ? "null" : text, { strict: false }).value;
  } catch (error) {
    if (isSetpointError(error, "request.invalid")) throw unreadable("embedded JSON cannot be read");
    throw error;
  }
}

function decodeTexts(reader: WireReader, field: number): string[] {
  const found: string[] = [];
  while (!reader.isAtEnd) {
    const { number, wireType } = reader.tag();
    if (number === field && wireType === wire.bytes) found.push(reader.string());
    else reader.skip(wireType);
  }
  return found;
}

function decodeSchemaOr(other: string, message: Message, reader: WireReader): Json {
  const schemaNumber = other === "bool" ? 2 : 1;
  let schema: Json | undefined;
  let allows = false;
  const several: Json[] = [];
  while (!reader.isAtEnd) {
    const { number, wireType } = reader.tag();
    if (number === schemaNumber && wireType === wire.bytes) {
      schema = decodeMessage(message, reader.nested());
    } else if (other === "bool" && number === 1 && wireType === wire.varint) {
      allows = reader.bool();
    } else if (other === "schemas" && number === 2 && wireType === wire.bytes) {
      several.push(decodeMessage(message, reader.nested()));
    } else if (other === "texts" && number === 2 && wireType === wire.bytes) {
      several.push(reader.string());
    } else reader.skip(wireType);
  }
  if (other === "bool") return schema ?? allows;
  return several.length > 0 ? several : (schema ?? null);
}

function expectWireType(message: Message, name: string, shape: Shape, found: number): void {
  const { type } = shape;
  const isMany = type.kind === "list" || type.kind === "map";
  const wanted =
    type.kind === "list" ? wireTypeOf(type.of) : isMany ? wire.bytes : wireTypeOf(shape);
  if (found === wanted) return;
  const short = message.name.slice(message.name.lastIndexOf(".") + 1);
  throw unreadable(`wrong wireType = ${found} for field ${short}.${name}`);
}

export function wireTypeOf(shape: Shape): number {
  if (shape.type.kind !== "scalar") return wire.bytes;
  switch (shape.type.scalar) {
    case "bool":
    case "int32":
    case "int64":
      return wire.varint;
    case "double":
      return wire.fixed64;
    default:
      return wire.bytes;
  }
}

function finite(value: number): number {
  if (!Number.isFinite(value)) throw unreadable("a number is not finite");
  return value;
}

// Turns a document into the protobuf bytes that a Kubernetes API server sends for it, led by the
// type table: fields in rising order, keys of maps sorted, plain values written even when empty,
// pointers only when present. What the table does not know is left out.

import { isNumber } from "../../../kernel/int64.ts";
import { isJsonArray, isJsonObject, getOwn } from "../../../kernel/json.ts";
import type { Json, JsonObject } from "../../../kernel/json.ts";
import { SetpointError } from "../../../kernel/errors.ts";
import type { Message, Scalar, Shape } from "../../../intents/builtin/message.ts";
import { wireTypeOf } from "./decode-message.ts";
import { parseInstant } from "../../../intents/builtin/times.ts";
import { wire } from "./wire-reader.ts";
import type { WireWriter } from "./wire-writer.ts";

export function encodeMessage(message: Message, object: JsonObject, writer: WireWriter): void {
  for (const [name, { shape, number, isInline }] of message.falling) {
    if (isInline && shape.type.kind === "message") {
      encodeNested(shape.type.message(), number, object, writer);
    } else encodeField(shape, number, getOwn(object, name) ?? undefined, writer);
  }
}

function encodeField(
  shape: Shape,
  number: number,
  value: Json | undefined,
  writer: WireWriter,
): void {
  const { type } = shape;
  if (type.kind === "list") {
    for (const item of listOf(value).toReversed()) encodeValue(type.of, number, item, writer);
  } else if (type.kind === "map") {
    const map = objectOf(value);
    for (const key of Object.keys(map).sort().toReversed()) {
      nested(writer, number, () => {
        encodeField(type.of, 2, getOwn(map, key) ?? undefined, writer);
        writer.stringField(1, key);
      });
    }
  } else if (value !== undefined) encodeValue(shape, number, value, writer);
  else if (!shape.isPointer) encodeEmpty(shape, number, writer);
}

/** Plain values are written even when nobody has set them. */
function encodeEmpty(shape: Shape, number: number, writer: WireWriter): void {
  const { type } = shape;
  if (type.kind === "message") encodeValue(shape, number, {}, writer);
  if (type.kind !== "scalar") return;
  switch (type.scalar) {
    case "string":
      return writer.stringField(number, "");
    case "bool":
      return encodeValue(shape, number, false, writer);
    case "int32":
    case "int64":
    case "double":
      return encodeValue(shape, number, 0, writer);
    case "quantity":
      return encodeValue(shape, number, "0", writer);
    case "time":
    case "microTime":
    case "texts":
      return nested(writer, number, () => {});
    default:
  }
}

function encodeValue(shape: Shape, number: number, value: Json, writer: WireWriter): void {
  const { type } = shape;
  switch (type.kind) {
    case "scalar":
      return encodeScalar(type.scalar, shape, number, value, writer);
    case "message":
      return encodeNested(type.message(), number, objectOf(value), writer);
    case "schemaOr":
      return nested(writer, number, () =>
        encodeSchemaOr(type.other, type.message(), value, writer),
      );
    case "list":
    case "map":
      throw unfit("a list within a list");
    default:
      return type satisfies never;
  }
}

function encodeScalar(
  scalar: Scalar,
  shape: Shape,
  number: number,
  value: Json,
  writer: WireWriter,
): void {
  switch (scalar) {
    case "string":
      return writer.stringField(number, textOf(value));
    case "bool":
      writer.bool(value === true);
      break;
    case "int32":
    case "int64":
      writer.integer(typeof value === "bigint" ? value : Math.trunc(numberOf(value)));
      break;
    case "double":
      writer.double(numberOf(value));
      break;
    case "bytes":
      writer.bytes(Buffer.from(textOf(value), "base64"));
      break;
    case "time":
    case "microTime":
      return nested(writer, number, () => encodeTime(scalar, textOf(value), writer));
    case "quantity":
      return nested(writer, number, () => writer.stringField(1, quantityText(value)));
    case "intOrString":
      return nested(writer, number, () => encodeIntOrString(value, writer));
    case "json":
    case "fieldsV1":
    case "rawExtension":
      return nested(writer, number, () => writer.stringField(1, JSON.stringify(value)));
    case "texts":
      return nested(writer, number, () => {
        for (const text of listOf(value).toReversed()) writer.stringField(1, textOf(text));
      });
    default:
      return scalar satisfies never;
  }
  writer.tag(number, wireTypeOf(shape));
}

function encodeTime(scalar: "time" | "microTime", text: string, writer: WireWriter): void {
  const instant = parseInstant(text);
  if (instant === undefined) throw unfit(`"${text.slice(0, 60)}" is not a time`);
  const micros = Math.floor(instant.nanos / 1_000);
  writer.integer(scalar === "time" ? 0 : micros * 1_000);
  writer.tag(2, wire.varint);
  writer.integer(instant.seconds);
  writer.tag(1, wire.varint);
}

function encodeIntOrString(value: Json, writer: WireWriter): void {
  const isText = typeof value === "string";
  writer.stringField(3, isText ? value : "");
  writer.integer(isText ? 0 : numberOf(value));
  writer.tag(2, wire.varint);
  writer.integer(isText ? 1 : 0);
  writer.tag(1, wire.varint);
}

function encodeSchemaOr(other: string, message: Message, value: Json, writer: WireWriter): void {
  const schemaNumber = other === "bool" ? 2 : 1;
  if (isJsonArray(value)) {
    for (const item of value.toReversed()) {
      if (other === "texts") writer.stringField(2, textOf(item));
      else nested(writer, 2, () => encodeMessage(message, objectOf(item), writer));
    }
  } else if (isJsonObject(value)) {
    nested(writer, schemaNumber, () => encodeMessage(message, value, writer));
  }
  if (other !== "bool") return;
  writer.bool(value !== false);
  writer.tag(1, wire.varint);
}

function nested(writer: WireWriter, number: number, write: () => void): void {
  const before = writer.length;
  write();
  writer.close(before);
  writer.tag(number, wire.bytes);
}

function encodeNested(
  message: Message,
  number: number,
  object: JsonObject,
  writer: WireWriter,
): void {
  const before = writer.length;
  encodeMessage(message, object, writer);
  writer.close(before);
  writer.tag(number, wire.bytes);
}

function quantityText(value: Json): string {
  return isNumber(value) ? String(value) : textOf(value);
}

function textOf(value: Json): string {
  if (typeof value !== "string") throw unfit("a string was expected");
  return value;
}

function numberOf(value: Json): number {
  if (!isNumber(value)) throw unfit("a number was expected");
  return Number(value);
}

function listOf(value: Json | undefined): readonly Json[] {
  if (value === undefined) return [];
  if (!isJsonArray(value)) throw unfit("a list was expected");
  return value;
}

function objectOf(value: Json | undefined): JsonObject {
  if (value === undefined || value === null) return {};
  if (!isJsonObject(value)) throw unfit("an object was expected");
  return value;
}

/** Documents are validated before they are stored, so this is a fault of ours. */
function unfit(reason: string): SetpointError {
  return new SetpointError("internal", `a document cannot be written as protobuf: ${reason}`);
}

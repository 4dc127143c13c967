// The outer form of protobuf bodies in the Kubernetes API: four magic bytes, then a message with
// the type and the encoded object. Watches send frames instead: a length of four bytes, then an
// event whose object has the outer form again. Only the built-in kinds have an encoding.

import { SetpointError } from "../../../kernel/errors.ts";
import { getOwn } from "../../../kernel/json.ts";
import type { JsonObject } from "../../../kernel/json.ts";
import { messageOf } from "../../../intents/builtin/catalogue.ts";
import type { Message } from "../../../intents/builtin/message.ts";
import { decodeMessage } from "./decode-message.ts";
import { encodeMessage } from "./encode-message.ts";
import { WireReader, newBudget, unreadable, wire } from "./wire-reader.ts";
import { WireWriter } from "./wire-writer.ts";

export interface TypeMeta {
  readonly apiVersion: string;
  readonly kind: string;
}

const magic = Buffer.from("k8s\0", "latin1");

/** Whether objects of a kind can be written as protobuf. */
export function hasProtobuf({ apiVersion, kind }: TypeMeta): boolean {
  return messageOf(apiVersion, kind) !== undefined;
}

/** Reads a body; the type given counts where the body names none. */
export function decodeProtobuf(body: Uint8Array, fallback?: TypeMeta): JsonObject {
  if (body.length === 0) throw new SetpointError("request.invalid", "empty data");
  if (!magic.equals(body.subarray(0, magic.length))) {
    throw new SetpointError(
      "request.invalid",
      "provided data does not appear to be a protobuf message, " +
        `expected prefix [${[...magic].join(" ")}]`,
    );
  }
  const budget = newBudget();
  const unknown = decodeUnknown(new WireReader(body.subarray(magic.length), budget));
  if (unknown.contentEncoding !== "") throw unreadable("encoded content is not supported");
  const apiVersion = unknown.apiVersion === "" ? fallback?.apiVersion : unknown.apiVersion;
  const kind = unknown.kind === "" ? fallback?.kind : unknown.kind;
  if (kind === undefined || kind === "") {
    throw new SetpointError("request.invalid", "Object 'Kind' is missing in protobuf message");
  }
  const message = messageFor({ apiVersion: apiVersion ?? "", kind });
  const object = decodeMessage(message, new WireReader(unknown.raw, budget));
  return { kind, apiVersion: apiVersion ?? "", ...object };
}

/** Writes a whole answer: an object, a list or a status. */
export function encodeProtobuf(object: JsonObject): Uint8Array {
  const writer = new WireWriter();
  const type = typeOf(object);
  writer.stringField(4, "");
  writer.stringField(3, "");
  const beforeRaw = writer.length;
  encodeMessage(messageFor(type), object, writer);
  writer.close(beforeRaw);
  writer.tag(2, wire.bytes);
  const beforeType = writer.length;
  writer.stringField(2, type.kind);
  writer.stringField(1, type.apiVersion);
  writer.close(beforeType);
  writer.tag(1, wire.bytes);
  return Buffer.concat([magic, writer.finish()]);
}

/** One event of a watch: ADDED, MODIFIED, DELETED, BOOKMARK, or ERROR with a status. */
export function encodeWatchFrame(type: string, object: JsonObject): Uint8Array {
  const writer = new WireWriter();
  writer.bytes(encodeProtobuf(object));
  writer.tag(1, wire.bytes);
  writer.close(0);
  writer.tag(2, wire.bytes);
  writer.stringField(1, type);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(writer.length);
  return Buffer.concat([length, writer.finish()]);
}

interface Unknown extends TypeMeta {
  readonly raw: Uint8Array;
  readonly contentEncoding: string;
}

function decodeUnknown(reader: WireReader): Unknown {
  let type: TypeMeta = { apiVersion: "", kind: "" };
  let raw = new Uint8Array();
  let contentEncoding = "";
  while (!reader.isAtEnd) {
    const { number, wireType } = reader.tag();
    if (wireType !== wire.bytes) reader.skip(wireType);
    else if (number === 1) type = decodeType(reader.nested());
    else if (number === 2) raw = Uint8Array.from(reader.bytes());
    else if (number === 3) contentEncoding = reader.string();
    else reader.skip(wireType);
  }
  return { ...type, raw, contentEncoding };
}

function decodeType(reader: WireReader): TypeMeta {
  let apiVersion = "";
  let kind = "";
  while (!reader.isAtEnd) {
    const { number, wireType } = reader.tag();
    if (number === 1 && wireType === wire.bytes) apiVersion = reader.string();
    else if (number === 2 && wireType === wire.bytes) kind = reader.string();
    else reader.skip(wireType);
  }
  return { apiVersion, kind };
}

function typeOf(object: JsonObject): TypeMeta {
  const apiVersion = getOwn(object, "apiVersion");
  const kind = getOwn(object, "kind");
  if (typeof apiVersion !== "string" || typeof kind !== "string") {
    throw new SetpointError("internal", "an object without apiVersion and kind has no encoding");
  }
  return { apiVersion, kind };
}

function messageFor({ apiVersion, kind }: TypeMeta): Message {
  const message = messageOf(apiVersion, kind);
  if (message !== undefined) return message;
  throw new SetpointError(
    "request.invalid",
    `no kind "${kind}" is registered for version "${apiVersion}" in scheme ` +
      '"pkg/api/legacyscheme/scheme.go:30"',
    { details: { apiVersion, kind } },
  );
}

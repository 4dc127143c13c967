// A delivery as a command. Pure. Everything that is wrong with a message is an error that names the
// property or the field.

import { hash } from "node:crypto";
import type { Delivery } from "../../../adapters/amqp/port.ts";
import { causeLimits } from "../../../kernel/cause.ts";
import { SetpointError, isSetpointError } from "../../../kernel/errors.ts";
import { isJsonObject } from "../../../kernel/json.ts";
import type { Json, JsonObject } from "../../../kernel/json.ts";
import { isStorable } from "../../../kernel/storable-text.ts";
import { parseJson } from "../../../kernel/strict-json.ts";
import { parseTraceparent } from "../../../kernel/trace-context.ts";
import type { Command } from "../command.ts";
import { busLimits } from "../limits.ts";
import type { UserOf } from "./mapped-users.ts";

export type CommandDelivery = Pick<
  Delivery,
  "messageId" | "correlationId" | "type" | "contentType" | "userId" | "headers" | "body"
>;

const fieldNames = ["path", "query", "data", "ifMatch"];

/** Throws a SetpointError that names what is wrong. */
export function commandOf(delivery: CommandDelivery, userOf: UserOf): Command {
  const { type: name, messageId, userId, correlationId, body } = delivery;
  const user = userOf(userId);
  if (name === undefined || name === "") throw missing("type", "the name of a command");
  const id = checkedId("message-id", messageId);
  const correlation = correlationId === undefined ? id : checkedId("correlation-id", correlationId);
  checkContentType(delivery.contentType);
  const document = parsedBody(body);
  return {
    name,
    user,
    producer: userId ?? "",
    messageId: id,
    digest: hash("sha256", Buffer.concat([Buffer.from(`${name}\n`), body]), "hex"),
    path: pathOf(document),
    query: objectOf(document, "query") ?? {},
    data: objectOf(document, "data"),
    ifMatch: ifMatchOf(document),
    traceId: traceIdOf(delivery, `${userId}\n${id}`),
    correlationId: correlation,
  };
}

function checkedId(property: string, text: string | undefined): string {
  if (text === undefined || text === "") throw missing(property, "an id of your choice");
  const isSound = isStorable(text) && Buffer.byteLength(text) <= causeLimits.correlationBytes;
  if (isSound) return text;
  throw invalid(property, `must be at most ${causeLimits.correlationBytes} bytes of text`);
}

function checkContentType(contentType: string | undefined): void {
  const [type = ""] = (contentType ?? "application/json").split(";");
  if (type.trim().toLowerCase() === "application/json") return;
  throw new SetpointError("request.unsupported_media_type", "the body must be application/json", {
    details: { field: "content-type" },
    suggestion: "set the property content-type to application/json",
  });
}

function parsedBody(body: Buffer): JsonObject {
  if (body.length > busLimits.maxCommandBytes) {
    const message = `the body is larger than ${busLimits.maxCommandBytes} bytes`;
    throw new SetpointError("request.too_large", message, { details: { field: "body" } });
  }
  if (body.length === 0) return {};
  const { value, duplicates } = strictJson(body);
  if (!isJsonObject(value)) throw invalid("body", "must be a JSON object");
  const [duplicate] = duplicates;
  if (duplicate !== undefined) throw invalid("body", duplicate);
  const unknown = Object.keys(value).find((name) => !fieldNames.includes(name));
  if (unknown === undefined) return value;
  const known = fieldNames.join(", ");
  throw invalid(`body.${unknown.slice(0, 100)}`, `unknown field: known fields are ${known}`);
}

function strictJson(body: Buffer): ReturnType<typeof parseJson> {
  try {
    return parseJson(body, { strict: true });
  } catch (error) {
    if (!isSetpointError(error, "request.invalid")) throw error;
    throw invalid("body", error.message);
  }
}

function pathOf(document: JsonObject): Readonly<Record<string, string>> {
  const path = objectOf(document, "path") ?? {};
  for (const [name, value] of Object.entries(path)) {
    if (typeof value === "string") continue;
    throw invalid(`body.path.${name.slice(0, 100)}`, "must be a text");
  }
  return path as Readonly<Record<string, string>>;
}

function objectOf(document: JsonObject, name: string): JsonObject | undefined {
  const value: Json | undefined = document[name];
  if (value === undefined) return undefined;
  if (!isJsonObject(value)) throw invalid(`body.${name}`, "must be an object");
  return value;
}

function ifMatchOf(document: JsonObject): string | undefined {
  const value = document["ifMatch"];
  if (value === undefined || typeof value === "string") return value;
  throw invalid("body.ifMatch", "must be a revision as a text, or *");
}

/** The trace of the sender, or one derived from the message, which is the same for a repeat. */
function traceIdOf({ headers }: CommandDelivery, identity: string): string {
  const given = headers?.["traceparent"];
  const begun = parseTraceparent(typeof given === "string" ? given : undefined);
  return begun?.traceId ?? hash("sha256", identity, "hex").slice(0, 32);
}

function missing(property: string, what: string): SetpointError {
  const message = `the message has no ${property}`;
  return new SetpointError("request.invalid", message, {
    details: { field: property, errors: [{ field: property, kind: "required", detail: message }] },
    suggestion: `set the property ${property} to ${what}`,
  });
}

function invalid(field: string, detail: string): SetpointError {
  return new SetpointError("request.invalid", `${field}: ${detail}`, {
    details: { field, errors: [{ field, kind: "invalid", detail }] },
  });
}

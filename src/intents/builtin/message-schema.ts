// The structural JSON schema of a message, as pruning, server-side apply, strategic merge and
// OpenAPI read it. `required` and `enum` in it document the type for clients; what a built-in
// kind refuses is decided by its rules, whose messages clients compare.

import { isJsonObject, setOwn } from "../../kernel/json.ts";
import type { JsonObject, MutableJsonObject } from "../../kernel/json.ts";
import { jsonSchemaProps } from "./types-definitions.ts";
import type { Message, Scalar, Shape } from "./message.ts";

const cache = new WeakMap<Message, JsonObject>();

/** The schema of a part of a document. */
function schemaOf(message: Message): JsonObject {
  const known = cache.get(message);
  if (known !== undefined) return known;
  const schema = messageSchema(message);
  cache.set(message, schema);
  return schema;
}

/** The schema of a whole document, which also has apiVersion and kind. */
export function documentSchemaOf(message: Message): JsonObject {
  const { properties = {}, ...rest } = schemaOf(message);
  const inner = isJsonObject(properties) ? properties : {};
  return { ...rest, properties: { ...typeProperties, ...inner } };
}

const typeProperties: JsonObject = {
  apiVersion: { type: "string", description: "API version of the object." },
  kind: { type: "string", description: "Kind of the object." },
};

const scalars: Readonly<Record<Scalar, JsonObject>> = {
  string: { type: "string" },
  bool: { type: "boolean" },
  int32: { type: "integer", format: "int32" },
  int64: { type: "integer", format: "int64" },
  double: { type: "number", format: "double" },
  bytes: { type: "string", format: "byte" },
  time: { type: "string", format: "date-time" },
  microTime: { type: "string", format: "date-time" },
  quantity: { "x-kubernetes-int-or-string": true },
  intOrString: { "x-kubernetes-int-or-string": true },
  json: { "x-kubernetes-preserve-unknown-fields": true },
  fieldsV1: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
  rawExtension: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
  texts: { type: "array", items: { type: "string" } },
};

function messageSchema(message: Message): JsonObject {
  const head = { description: message.description, type: "object" };
  if (message === jsonSchemaProps) return { ...head, "x-kubernetes-preserve-unknown-fields": true };
  const properties: MutableJsonObject = {};
  const required: string[] = [];
  collectFields(message, properties, required);
  return {
    ...head,
    ...(message.fields.size === 0 ? {} : { properties }),
    ...(required.length === 0 ? {} : { required }),
    ...message.keywords,
  };
}

function collectFields(message: Message, into: MutableJsonObject, required: string[]): void {
  for (const [name, { shape, description, isInline }] of message.fields) {
    if (isInline && shape.type.kind === "message") {
      collectFields(shape.type.message(), into, required);
      continue;
    }
    setOwn(into, name, { ...shapeSchema(shape), ...(description === "" ? {} : { description }) });
    if (shape.isRequired) required.push(name);
  }
}

function shapeSchema(shape: Shape): JsonObject {
  const { type, keywords } = shape;
  switch (type.kind) {
    case "scalar":
      return { ...scalars[type.scalar], ...keywords };
    case "message":
      return { ...schemaOf(type.message()), ...keywords };
    case "list":
      return { type: "array", items: shapeSchema(type.of), ...keywords };
    case "map":
      return { type: "object", additionalProperties: shapeSchema(type.of), ...keywords };
    case "schemaOr":
      return { "x-kubernetes-preserve-unknown-fields": true };
    default:
      return type satisfies never;
  }
}

// The OpenAPI v2 document in the protobuf form of the gnostic project, which kubectl up to 1.28 and
// Argo CD ask for. One table per message names the fields and their numbers; the walk over the
// JSON document is the same for all. What a table does not name is left out.

import { getOwn, isJsonArray, isJsonObject } from "../../../kernel/json.ts";
import type { Json, JsonObject } from "../../../kernel/json.ts";

/** Media types by which clients ask for this form. */
export const gnosticTypes = [
  "application/com.github.proto-openapi.spec.v2@v1.0+protobuf",
  "application/com.github.proto-openapi.spec.v2.v1.0+protobuf",
] as const;

/** The type of every answer: the older name has an @, which is no valid type in a header. */
export const gnosticType = gnosticTypes[1];

export function gnosticDocument(document: JsonObject): Buffer {
  return encodeMessage(document, documentFields);
}

type Encoder = (value: Json) => Buffer | undefined;
type Fields = Readonly<Record<string, readonly [number: number, encode: Encoder]>>;

const text: Encoder = (value) => (typeof value === "string" ? Buffer.from(value) : undefined);
const yaml: Encoder = (value) => delimited(2, Buffer.from(`${JSON.stringify(value)}\n`));

/** Lazily, because schemas contain schemas. */
const schema: Encoder = (value) =>
  isJsonObject(value) ? encodeMessage(value, schemaFields, 31) : undefined;

const documentFields: Fields = {
  swagger: [1, text],
  info: [2, nested({ title: [1, text], version: [2, text], description: [3, text] })],
  paths: [8, pairs(2, pathItem)],
  definitions: [9, pairs(1, schema)],
  security: [12, pairs(1, repeatedText)],
  securityDefinitions: [13, pairs(1, securityDefinition)],
};

const operationFields: Fields = {
  tags: [1, text],
  description: [3, text],
  operationId: [5, text],
  produces: [6, text],
  consumes: [7, text],
  parameters: [8, parameter],
  responses: [9, pairs(1, response)],
  schemes: [10, text],
};

const bodyFields: Fields = {
  description: [1, text],
  name: [2, text],
  in: [3, text],
  required: [4, flag],
  schema: [5, schema],
};

const pathParameterFields: Fields = {
  required: [1, flag],
  in: [2, text],
  description: [3, text],
  name: [4, text],
  type: [5, text],
  uniqueItems: [19, flag],
};

const queryParameterFields: Fields = {
  required: [1, flag],
  in: [2, text],
  description: [3, text],
  name: [4, text],
  type: [6, text],
  uniqueItems: [20, flag],
};

const schemaFields: Fields = {
  $ref: [1, text],
  format: [2, text],
  title: [3, text],
  description: [4, text],
  default: [5, yaml],
  multipleOf: [6, double],
  maximum: [7, double],
  exclusiveMaximum: [8, flag],
  minimum: [9, double],
  exclusiveMinimum: [10, flag],
  maxLength: [11, integer],
  minLength: [12, integer],
  pattern: [13, text],
  maxItems: [14, integer],
  minItems: [15, integer],
  uniqueItems: [16, flag],
  maxProperties: [17, integer],
  minProperties: [18, integer],
  required: [19, text],
  enum: [20, yaml],
  additionalProperties: [21, additionalProperties],
  type: [22, (value) => (typeof value === "string" ? delimited(1, Buffer.from(value)) : undefined)],
  items: [23, (value) => wrapped(1, schema(value))],
  properties: [25, pairs(1, schema)],
};

function additionalProperties(value: Json): Buffer | undefined {
  if (typeof value === "boolean") return tagged(2, 0, varint(Number(value)));
  return wrapped(1, schema(value));
}

function pathItem(value: Json): Buffer | undefined {
  const operation = (inner: Json): Buffer | undefined =>
    isJsonObject(inner) ? encodeMessage(inner, operationFields, 13) : undefined;
  const fields: Fields = {
    get: [2, operation],
    put: [3, operation],
    post: [4, operation],
    delete: [5, operation],
    patch: [8, operation],
    parameters: [9, parameter],
  };
  return isJsonObject(value) ? encodeMessage(value, fields) : undefined;
}

/** A choice in a choice in a choice: body or not, and then by place. */
function parameter(value: Json): Buffer | undefined {
  if (!isJsonObject(value)) return undefined;
  const place = getOwn(value, "in");
  if (place === "body") return delimited(1, delimited(1, encodeMessage(value, bodyFields)));
  const inner =
    place === "path"
      ? delimited(4, encodeMessage(value, pathParameterFields))
      : delimited(3, encodeMessage(value, queryParameterFields));
  return delimited(1, delimited(2, inner));
}

function response(value: Json): Buffer | undefined {
  const answered: Encoder = (inner) => wrapped(1, schema(inner));
  const fields: Fields = { description: [1, text], schema: [2, answered] };
  return isJsonObject(value) ? delimited(1, encodeMessage(value, fields)) : undefined;
}

function securityDefinition(value: Json): Buffer | undefined {
  const fields: Fields = {
    type: [1, text],
    name: [2, text],
    in: [3, text],
    description: [4, text],
  };
  return isJsonObject(value) ? delimited(2, encodeMessage(value, fields)) : undefined;
}

function repeatedText(value: Json): Buffer | undefined {
  if (!isJsonArray(value)) return undefined;
  return Buffer.concat(value.map((item) => delimited(1, text(item) ?? Buffer.alloc(0))));
}

/** A map, written as one (name, value) message per key under the given number. */
function pairs(number: number, encode: Encoder): Encoder {
  return (value) => {
    if (!isJsonObject(value)) return undefined;
    const parts: Buffer[] = [];
    for (const [name, inner] of Object.entries(value)) {
      const encoded = encode(inner);
      if (encoded !== undefined) parts.push(delimited(number, pair(name, encoded)));
    }
    return Buffer.concat(parts);
  };
}

function pair(name: string, value: Buffer): Buffer {
  return Buffer.concat([delimited(1, Buffer.from(name)), delimited(2, value)]);
}

function nested(fields: Fields): Encoder {
  return (value) => (isJsonObject(value) ? encodeMessage(value, fields) : undefined);
}

/** Lists become repeated fields; keys that begin with x- are vendor extensions. */
function encodeMessage(value: JsonObject, fields: Fields, extensions?: number): Buffer {
  const parts: Buffer[] = [];
  for (const [key, inner] of Object.entries(value)) {
    if (extensions !== undefined && key.startsWith("x-")) {
      parts.push(delimited(extensions, pair(key, yaml(inner) ?? Buffer.alloc(0))));
      continue;
    }
    const known = Object.hasOwn(fields, key) ? fields[key] : undefined;
    if (known === undefined) continue;
    const [number, encode] = known;
    const items = isJsonArray(inner) && key !== "default" ? inner : [inner];
    for (const item of items) parts.push(...field(number, encode, item));
  }
  return Buffer.concat(parts);
}

function field(number: number, encode: Encoder, value: Json): readonly Buffer[] {
  const encoded = encode(value);
  if (encoded === undefined) return [];
  // Scalars write their own wire type.
  if (encode === flag || encode === integer) return [tagged(number, 0, encoded)];
  if (encode === double) return [tagged(number, 1, encoded)];
  return [delimited(number, encoded)];
}

function flag(value: Json): Buffer | undefined {
  return value === true ? varint(1) : undefined;
}

function integer(value: Json): Buffer | undefined {
  if (typeof value !== "number" || !Number.isSafeInteger(value) || value < 0) return undefined;
  return varint(value);
}

function double(value: Json): Buffer | undefined {
  if (typeof value !== "number") return undefined;
  const bytes = Buffer.alloc(8);
  bytes.writeDoubleLE(value);
  return bytes;
}

function wrapped(number: number, inner: Buffer | undefined): Buffer | undefined {
  return inner === undefined ? undefined : delimited(number, inner);
}

function delimited(number: number, bytes: Buffer): Buffer {
  return Buffer.concat([varint(number * 8 + 2), varint(bytes.length), bytes]);
}

function tagged(number: number, wireType: number, bytes: Buffer): Buffer {
  return Buffer.concat([varint(number * 8 + wireType), bytes]);
}

function varint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value;
  while (rest >= 128) {
    bytes.push((rest % 128) + 128);
    rest = Math.floor(rest / 128);
  }
  bytes.push(rest);
  return Buffer.from(bytes);
}

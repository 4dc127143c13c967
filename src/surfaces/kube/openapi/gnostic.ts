// The OpenAPI v2 document in the protobuf form of the gnostic project, which kubectl up to 1.28 and
// Argo CD ask for. One table per message names the fields and their numbers; the walk over the
// JSON document is the same for all. What a table does not name is left out.

import { isNumber } from "../../../kernel/int64.ts";
import { getOwn, isJsonArray, isJsonObject } from "../../../kernel/json.ts";
import type { Json, JsonObject } from "../../../kernel/json.ts";
import { fromEnd, wireWriter, writeDouble, writeHead, writeTag } from "./wire-writer.ts";
import { writeText, writeVarint, written } from "./wire-writer.ts";
import type { WireWriter } from "./wire-writer.ts";

/** Media types by which clients ask for this form. */
export const gnosticTypes = [
  "application/com.github.proto-openapi.spec.v2@v1.0+protobuf",
  "application/com.github.proto-openapi.spec.v2.v1.0+protobuf",
] as const;

/** The type of every answer: the older name has an @, which is no valid type in a header. */
export const gnosticType = gnosticTypes[1];

export function gnosticDocument(document: JsonObject): Buffer {
  const writer = wireWriter();
  encodeMessage(writer, document, documentFields);
  return written(writer);
}

/**
 * Writes a field with its head, or nothing when the value is not what the field holds. The writer
 * runs backwards, so whatever comes first in a message is written last.
 */
type Encoder = (writer: WireWriter, number: number, value: Json) => void;
type Fields = Readonly<Record<string, readonly [number: number, encode: Encoder]>>;

const text: Encoder = (writer, number, value) => {
  if (typeof value === "string") {
    delimited(writer, number, () => {
      writeText(writer, value);
    });
  }
};

const yaml: Encoder = (writer, number, value) => {
  delimited(writer, number, () => {
    text(writer, 2, `${JSON.stringify(value)}\n`);
  });
};

const flag: Encoder = (writer, number, value) => {
  if (value !== true) return;
  writeVarint(writer, 1);
  writeTag(writer, number, 0);
};

const integer: Encoder = (writer, number, value) => {
  if (typeof value !== "number" || !Number.isSafeInteger(value) || value < 0) return;
  writeVarint(writer, value);
  writeTag(writer, number, 0);
};

const double: Encoder = (writer, number, value) => {
  if (!isNumber(value)) return;
  writeDouble(writer, Number(value));
  writeTag(writer, number, 1);
};

/** By a function, because schemas contain schemas. */
const schema: Encoder = (writer, number, value) => {
  message(schemaFields, 31)(writer, number, value);
};

const repeatedText: Encoder = (writer, number, value) => {
  delimited(writer, number, () => {
    if (isJsonArray(value)) for (const item of value.toReversed()) text(writer, 1, item);
  });
};

const additionalProperties: Encoder = (writer, number, value) => {
  delimited(writer, number, () => {
    if (typeof value !== "boolean") schema(writer, 1, value);
    else {
      writeVarint(writer, Number(value));
      writeTag(writer, 2, 0);
    }
  });
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

/** A choice in a choice in a choice: body or not, and then by place. */
const parameter: Encoder = (writer, number, value) => {
  const place = isJsonObject(value) ? getOwn(value, "in") : undefined;
  if (place === "body") inside(1, inside(1, message(bodyFields)))(writer, number, value);
  else if (place === "path") {
    inside(1, inside(2, inside(4, message(pathParameterFields))))(writer, number, value);
  } else inside(1, inside(2, inside(3, message(queryParameterFields))))(writer, number, value);
};

const operation = message(
  {
    tags: [1, text],
    description: [3, text],
    operationId: [5, text],
    produces: [6, text],
    consumes: [7, text],
    parameters: [8, parameter],
    responses: [
      9,
      pairs(1, inside(1, message({ description: [1, text], schema: [2, inside(1, schema)] }))),
    ],
    schemes: [10, text],
  },
  13,
);

const pathItem = message({
  get: [2, operation],
  put: [3, operation],
  post: [4, operation],
  delete: [5, operation],
  patch: [8, operation],
  parameters: [9, parameter],
});

const apiKey = message({ type: [1, text], name: [2, text], in: [3, text], description: [4, text] });

const documentFields: Fields = {
  swagger: [1, text],
  info: [2, message({ title: [1, text], version: [2, text], description: [3, text] })],
  paths: [8, pairs(2, pathItem)],
  definitions: [9, pairs(1, schema)],
  security: [12, pairs(1, repeatedText)],
  securityDefinitions: [13, pairs(1, inside(2, apiKey))],
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
  type: [22, inside(1, text)],
  items: [23, inside(1, schema)],
  properties: [25, pairs(1, schema)],
};

/** A message that holds nothing but one field. */
function inside(inner: number, encode: Encoder): Encoder {
  return (writer, number, value) => {
    delimited(writer, number, () => {
      encode(writer, inner, value);
    });
  };
}

/** A map, written as one (name, value) message per key under the given number. */
function pairs(inner: number, encode: Encoder): Encoder {
  return (writer, number, value) => {
    if (!isJsonObject(value)) return;
    delimited(writer, number, () => {
      for (const name of Object.keys(value).toReversed()) {
        pair(writer, inner, name, value[name] ?? null, encode);
      }
    });
  };
}

function pair(
  writer: WireWriter,
  number: number,
  name: string,
  value: Json,
  encode: Encoder,
): void {
  delimited(writer, number, () => {
    encode(writer, 2, value);
    text(writer, 1, name);
  });
}

function message(fields: Fields, extensions?: number): Encoder {
  return (writer, number, value) => {
    if (!isJsonObject(value)) return;
    delimited(writer, number, () => {
      encodeMessage(writer, value, fields, extensions);
    });
  };
}

/** Lists become repeated fields; keys that begin with x- are vendor extensions. */
function encodeMessage(
  writer: WireWriter,
  value: JsonObject,
  fields: Fields,
  extensions?: number,
): void {
  for (const key of Object.keys(value).toReversed()) {
    const inner = value[key] ?? null;
    if (extensions !== undefined && key.startsWith("x-")) {
      pair(writer, extensions, key, inner, yaml);
      continue;
    }
    const known = Object.hasOwn(fields, key) ? fields[key] : undefined;
    if (known === undefined) continue;
    const [number, encode] = known;
    const items = isJsonArray(inner) && key !== "default" ? inner.toReversed() : [inner];
    for (const item of items) encode(writer, number, item);
  }
}

function delimited(writer: WireWriter, number: number, content: () => void): void {
  const end = fromEnd(writer);
  content();
  writeHead(writer, number, end);
}

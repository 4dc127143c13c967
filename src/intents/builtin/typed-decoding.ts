// Whether a JSON document fits the types of its kind at all. Built-in kinds are refused for a wrong
// type before anything else looks at them, with 400 and in the words of the API server's decoder,
// which clients print; custom kinds are refused by their schema instead. The first problem in the
// order of the document counts. Unknown fields and nulls are no problem here.

import { SetpointError } from "../../kernel/errors.ts";
import { jsonName } from "../../kernel/go-text.ts";
import { isNumber } from "../../kernel/int64.ts";
import { getOwn, isJsonArray, isJsonObject } from "../../kernel/json.ts";
import type { Json, JsonObject } from "../../kernel/json.ts";
import { textAt } from "../../kernel/json-read.ts";
import { isQuantity, parseQuantity } from "../../kernel/quantity.ts";
import { messageOf } from "./catalogue.ts";
import type { Field, Message, Scalar, Shape } from "./message.ts";
import { timeProblem } from "./time-problem.ts";

/** Throws for a document of a built-in kind whose values have wrong types. */
export function checkTypes(document: JsonObject): void {
  const apiVersion = textAt(document, "apiVersion");
  const kind = textAt(document, "kind");
  const message = messageOf(apiVersion, kind);
  const problem = message === undefined ? undefined : typeProblem(message, document);
  if (problem === undefined) return;
  const version = apiVersion.slice(apiVersion.indexOf("/") + 1);
  throw new SetpointError(
    "request.invalid",
    `${kind} in version "${version}" cannot be handled as a ${kind}: ${problem}`,
  );
}

/** The first thing that does not fit. */
export function typeProblem(message: Message, document: JsonObject): string | undefined {
  return messageProblem(message, document, { struct: nameOf(message), path: "" });
}

/** Where a value stands: the type of the innermost object and the fields that lead there. */
interface Place {
  readonly struct: string;
  readonly path: string;
}

function messageProblem(message: Message, object: JsonObject, at: Place): string | undefined {
  const fields = fieldsOf(message);
  for (const key of Object.keys(object)) {
    const found = fields.get(key);
    const value = getOwn(object, key);
    if (found === undefined || value === undefined || value === null) continue;
    const path = `${at.path}${found.prefix}${key}`;
    const problem = valueProblem(found.field.shape, value, { struct: at.struct, path });
    if (problem !== undefined) return problem;
  }
  return undefined;
}

interface Found {
  readonly field: Field;
  /** The names of the inlined messages that the field comes from. */
  readonly prefix: string;
}

const known = new WeakMap<Message, ReadonlyMap<string, Found>>();

function fieldsOf(message: Message): ReadonlyMap<string, Found> {
  const cached = known.get(message);
  if (cached !== undefined) return cached;
  const fields = new Map<string, Found>();
  for (const [name, field] of message.fields) {
    const { type } = field.shape;
    if (!field.isInline || type.kind !== "message") fields.set(name, { field, prefix: "" });
    else {
      const inner = type.message();
      for (const [key, { field: own, prefix }] of fieldsOf(inner)) {
        fields.set(key, { field: own, prefix: `${nameOf(inner)}.${prefix}` });
      }
    }
  }
  known.set(message, fields);
  return fields;
}

function valueProblem(shape: Shape, value: Json, at: Place): string | undefined {
  if (value === null) return undefined;
  const { type } = shape;
  switch (type.kind) {
    case "scalar":
      return scalarProblem(type.scalar, value, at);
    case "message": {
      if (!isJsonObject(value)) return mismatch(value, shape, at);
      const inner = type.message();
      return messageProblem(inner, value, { struct: nameOf(inner), path: `${at.path}.` });
    }
    case "list":
      if (!isJsonArray(value)) return mismatch(value, shape, at);
      return firstOf(value, (item) => valueProblem(type.of, item, at));
    case "map":
      if (!isJsonObject(value)) return mismatch(value, shape, at);
      return firstOf(Object.values(value), (item) => valueProblem(type.of, item, at));
    case "schemaOr":
      return schemaOrProblem(type.other, type.message(), value, at);
    default:
      return type satisfies never;
  }
}

function scalarProblem(scalar: Scalar, value: Json, at: Place): string | undefined {
  const wrong = (): string => mismatchOf(value, goScalar(scalar), at);
  switch (scalar) {
    case "string":
      return typeof value === "string" ? undefined : wrong();
    case "bool":
      return typeof value === "boolean" ? undefined : wrong();
    case "int32":
    case "int64":
      return isNumber(value) ? integerProblem(scalar, value, at) : wrong();
    case "double":
      return isNumber(value) ? undefined : wrong();
    case "bytes":
      return typeof value === "string" ? base64Problem(value) : wrong();
    case "time":
    case "microTime":
      return typeof value === "string" ? timeProblem(value, scalar === "microTime") : wrong();
    case "quantity":
      return quantityProblem(value);
    case "intOrString":
      if (typeof value === "bigint") return integerProblem("int32", value, at);
      return typeof value === "string" || typeof value === "number" ? undefined : wrong();
    case "texts": {
      if (!isJsonArray(value)) return wrong();
      const bad = value.find((item) => item !== null && typeof item !== "string");
      return bad === undefined ? undefined : mismatchOf(bad, "string", at);
    }
    case "json":
    case "fieldsV1":
    case "rawExtension":
      return undefined;
    default:
      return scalar satisfies never;
  }
}

function integerProblem(
  scalar: "int32" | "int64",
  value: number | bigint,
  at: Place,
): string | undefined {
  const limit = scalar === "int32" ? 2 ** 31 : 2 ** 63;
  const isWhole = typeof value === "bigint" || Number.isInteger(value);
  if (isWhole && value >= -limit && value < limit) return undefined;
  return unmarshal(`number ${value}`, scalar, at);
}

function quantityProblem(value: Json): string | undefined {
  const parsed = parseQuantity(typeof value === "string" ? value : JSON.stringify(value));
  return isQuantity(parsed) ? undefined : parsed.problem;
}

/** A schema in place of which something else may stand. */
function schemaOrProblem(
  other: string,
  message: Message,
  value: Json,
  { path }: Place,
): string | undefined {
  const at = { struct: nameOf(message), path: `${path}.` };
  if (isJsonObject(value)) return messageProblem(message, value, at);
  if (other === "bool") {
    return typeof value === "boolean" ? undefined : "boolean or JSON schema expected";
  }
  if (!isJsonArray(value) || other === "texts") return undefined;
  return firstOf(value, (item) =>
    isJsonObject(item) ? messageProblem(message, item, at) : undefined,
  );
}

/** Base64 with padding; line breaks are skipped. */
function base64Problem(text: string): string | undefined {
  const wrong = text.search(/[^A-Za-z0-9+/=\r\n]/);
  const plain = /[\r\n]/.test(text) ? text.replace(/[\r\n]/g, "") : text;
  const padding = plain.indexOf("=");
  const isPadded = padding < 0 || /^[^=]{2,3}={1,2}$/.test(plain.slice(padding - (padding % 4)));
  if (wrong < 0 && plain.length % 4 === 0 && isPadded) return undefined;
  const at = wrong >= 0 ? wrong : isPadded ? plain.length - (plain.length % 4) : padding;
  return `illegal base64 data at input byte ${at}`;
}

function mismatch(value: Json, shape: Shape, at: Place): string {
  return mismatchOf(value, goType(shape), at);
}

function mismatchOf(value: Json, wanted: string, at: Place): string {
  return unmarshal(jsonName(value), wanted, at);
}

function unmarshal(what: string, wanted: string, { struct, path }: Place): string {
  return `json: cannot unmarshal ${what} into Go struct field ${struct}.${path} of type ${wanted}`;
}

function goType({ type }: Shape): string {
  switch (type.kind) {
    case "scalar":
      return goScalar(type.scalar);
    case "list":
      return `[]${goType(type.of)}`;
    case "map":
      return `map[string]${goType(type.of)}`;
    case "message":
    case "schemaOr":
      return `v1.${nameOf(type.message())}`;
    default:
      return type satisfies never;
  }
}

function goScalar(scalar: Scalar): string {
  switch (scalar) {
    case "double":
      return "float64";
    case "bytes":
      return "[]uint8";
    case "quantity":
      return "resource.Quantity";
    case "texts":
      return "v1.ExtraValue";
    case "bool":
    case "int32":
    case "int64":
      return scalar;
    default:
      return "string";
  }
}

function nameOf(message: Message): string {
  return message.name.slice(message.name.lastIndexOf(".") + 1);
}

function firstOf(
  values: readonly Json[],
  find: (value: Json) => string | undefined,
): string | undefined {
  for (const value of values) {
    const problem = find(value);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

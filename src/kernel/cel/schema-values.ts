// JSON as values, by its schema and as late as possible: an object becomes a map that looks its
// fields up when they are asked for, so a rule about one field costs nothing for the others.

import { tick } from "../inline-time.ts";
import { isNumber } from "../int64.ts";
import { equalJson, getOwn, isJsonArray, isJsonObject } from "../json.ts";
import type { Json, JsonObject } from "../json.ts";
import { equal } from "./compare.ts";
import { mapBuilder } from "./maps.ts";
import type {
  CelSchema,
  ListSchema,
  MapSchema,
  ObjectSchema,
  ScalarSchema,
} from "./schema-types.ts";
import { parseDateTime, parseSchemaDuration } from "./schema-times.ts";
import { show } from "./text.ts";
import { parseDate } from "./time.ts";
import type { CelList, CelMap, CelValue } from "./values.ts";
import { bytes, double, error, int, list, noSuchOverload } from "./values.ts";

export function valueOf(schema: CelSchema, json: Json): CelValue {
  if (json === null) {
    return schema.schema.nullable
      ? null
      : error("invalid data, got null for schema with nullable=false");
  }
  switch (schema.kind) {
    case "scalar":
      return scalarValue(schema, json);
    case "list":
      return isJsonArray(json) ? listValue(schema, json) : wrongType("an array", "array");
    case "map":
      return isJsonObject(json) ? mapValue(schema, json) : wrongType("a map", "object");
    default:
      return isJsonObject(json) ? objectValue(schema, json) : wrongType("a map", "object");
  }
}

/** JSON without a schema: whole numbers are ints, all others doubles. */
export function dynamicValue(json: Json): CelValue {
  if (isWhole(json)) return wholeNumber(json);
  if (typeof json === "number") return double(json);
  if (typeof json !== "object" || json === null) return json;
  if (isJsonArray(json)) {
    return { kind: "list", size: json.length, at: (index) => dynamicValue(json[index] ?? null) };
  }
  return {
    kind: "map",
    get size() {
      return keysOf(json).length;
    },
    get: (key) => {
      const found = typeof key === "string" ? getOwn(json, key) : undefined;
      return found === undefined ? undefined : dynamicValue(found);
    },
    keys: () => keysOf(json),
  };
}

/** An expression may ask for them again and again, and pays for a map as if it were small. */
function keysOf(json: JsonObject): readonly string[] {
  const known = knownKeys.get(json);
  if (known !== undefined) return known;
  const keys = Object.keys(json);
  tick(keys.length);
  knownKeys.set(json, keys);
  return keys;
}

const knownKeys = new WeakMap<JsonObject, readonly string[]>();

function wrongType(expected: string, type: string): CelValue {
  return error(`invalid data, expected ${expected} for the provided schema with type=${type}`);
}

function wholeNumber(value: number | bigint): number | bigint {
  return Number.isSafeInteger(value) ? value : int(BigInt(value));
}

/** What does not fit into 64 bits is no int, however whole it is. */
function isWhole(value: Json): value is number | bigint {
  if (typeof value === "bigint") return true;
  return Number.isInteger(value) && Number(value) >= -(2 ** 63) && Number(value) < 2 ** 63;
}

function scalarValue({ schema, type }: ScalarSchema, json: Json): CelValue {
  switch (type.kind) {
    case "string":
      return typeof json === "string" ? json : unexpected("string", json);
    case "int":
      return isWhole(json) ? wholeNumber(json) : unexpected("int", json);
    case "bool":
      return typeof json === "boolean" ? json : unexpected("bool", json);
    case "double":
      return isNumber(json) ? double(Number(json)) : unexpected("float", json);
    case "dyn": {
      if (typeof json === "string") return json;
      if (isWhole(json)) return wholeNumber(json);
      return error("invalid data, expected XIntOrString value to be either a string or integer");
    }
    default:
      return typeof json === "string" ? formatted(schema.format, json) : unexpected("string", json);
  }
}

function formatted(format: string, text: string): CelValue {
  switch (format) {
    case "byte":
      return bytes(new Uint8Array(Buffer.from(text, "base64")));
    case "duration":
      return parseSchemaDuration(text) ?? error(`Invalid duration ${text}`);
    case "date":
      return parseDate(text) ?? error(`Invalid date formatted string ${text}`);
    default:
      return parseDateTime(text) ?? error(`Invalid date-time formatted string ${text}`);
  }
}

function unexpected(expected: string, json: Json): CelValue {
  const found = isJsonArray(json)
    ? "[]interface {}"
    : { string: "string", number: "float64", bigint: "int64", boolean: "bool" }[
        typeof json as string
      ];
  return error(`invalid data, expected ${expected}, got ${found ?? "map[string]interface {}"}`);
}

function mapValue({ values }: MapSchema, json: JsonObject): CelMap {
  return {
    kind: "map",
    get size() {
      return keysOf(json).length;
    },
    get: (key) => {
      if (typeof key !== "string") return noSuchOverload;
      const found = getOwn(json, key);
      return found === undefined ? undefined : valueOf(values, found);
    },
    keys: () => keysOf(json),
  };
}

/** A field that is null counts as absent. */
function objectValue(schema: ObjectSchema, json: JsonObject): ObjectValue {
  const { fields } = schema;
  return {
    kind: "map",
    json,
    get size() {
      return keysOf(json).length;
    },
    get: (key) => {
      if (typeof key !== "string") return noSuchOverload;
      const field = fields.get(key) ?? fields.get(`__${key}__`);
      if (field === undefined) return undefined;
      const found = getOwn(json, field.name);
      return found === undefined || found === null ? undefined : valueOf(field.schema, found);
    },
    keys: () =>
      Array.from(fields)
        .filter(([, { name }]) => Object.hasOwn(json, name))
        .map(([escaped]) => escaped),
    hidesDifference: (other) => isObjectValue(other) && differsInUnknown(schema, json, other.json),
  };
}

interface ObjectValue extends CelMap {
  readonly json: JsonObject;
}

function isObjectValue(map: CelMap): map is ObjectValue {
  return "json" in map;
}

/** Fields that the schema does not know count, if both objects have them. */
function differsInUnknown({ names }: ObjectSchema, a: JsonObject, b: JsonObject): boolean {
  return Object.keys(a).some(
    (key) => !names.has(key) && Object.hasOwn(b, key) && !equalJson(a[key], b[key]),
  );
}

function listValue(schema: ListSchema, json: readonly Json[]): CelList {
  const { items } = schema;
  const at = (index: number): CelValue => valueOf(items, json[index] ?? null);
  const plain: CelList = { kind: "list", size: json.length, at };
  switch (schema.schema.listType) {
    case "set":
      return keyedList(plain, (value) => value);
    case "map": {
      const names = schema.schema.listMapKeys;
      return keyedList(plain, (value) => names.map((name) => show(partOf(value, name))).join("\0"));
    }
    default:
      return plain;
  }
}

function partOf(value: CelValue, name: string): CelValue {
  if (typeof value !== "object" || value?.kind !== "map") return null;
  return value.get(name) ?? null;
}

/** Lists whose elements have keys are equal in any order, and add up without duplicates. */
function keyedList(plain: CelList, keyOf: (value: CelValue) => CelValue): CelList {
  const index = (): ReturnType<typeof mapBuilder> => {
    const byKey = mapBuilder();
    for (let i = 0; i < plain.size; i++) byKey.set(keyOf(plain.at(i)), i);
    return byKey;
  };
  return {
    ...plain,
    sameAs: (other) => {
      const byKey = index().build();
      for (let i = 0; i < other.size; i++) {
        const value = other.at(i);
        const place = byKey.get(keyOf(value));
        if (typeof place !== "number" || !equal(plain.at(place), value)) return false;
      }
      return true;
    },
    plus: (other) => {
      const byKey = index().build();
      const merged = Array.from({ length: plain.size }, (_, i) => plain.at(i));
      for (let i = 0; i < other.size; i++) {
        const value = other.at(i);
        const place = byKey.get(keyOf(value));
        if (typeof place === "number") merged[place] = value;
        else merged.push(value);
      }
      return keyedList(list(merged), keyOf);
    },
  };
}

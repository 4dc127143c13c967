// From the JSON of a schema to its nodes. What does not have the right type is taken as absent:
// `structuralProblems` has told the author about it before a schema gets here.

import { getOwn, isJsonObject } from "../json.ts";
import type { Json, JsonObject } from "../json.ts";
import { isTrueAt, listAt, numberAt, objectsAt, textAt, textsAt } from "../json-read.ts";
import type { Schema, SchemaType, ValidationRule } from "./schema.ts";

export function compileSchema(json: JsonObject): Schema {
  const properties = schemaMap(getOwn(json, "properties"));
  const additionalProperties = schemaOrBoolean(getOwn(json, "additionalProperties"));
  const items = schema(getOwn(json, "items"));
  const below = [...properties.values(), additionalProperties, items].filter(isSchema);
  const listType = oneOf(getOwn(json, "x-kubernetes-list-type"), listTypes);
  const isKeyed = listType === "set" || listType === "map";
  return Object.freeze({
    type: oneOf<SchemaType>(getOwn(json, "type"), types) ?? "",
    nullable: isTrueAt(json, "nullable"),
    default: getOwn(json, "default") ?? undefined,
    addsDefaults: below.some((child) => child.default !== undefined || child.addsDefaults),
    hasKeyedLists: isKeyed || below.some((child) => child.hasKeyedLists),

    properties,
    additionalProperties,
    items,

    preserveUnknownFields: isTrueAt(json, "x-kubernetes-preserve-unknown-fields"),
    embeddedResource: isTrueAt(json, "x-kubernetes-embedded-resource"),
    intOrString: isTrueAt(json, "x-kubernetes-int-or-string"),
    listType,
    listMapKeys: textsAt(json, "x-kubernetes-list-map-keys"),
    mapType: oneOf(getOwn(json, "x-kubernetes-map-type"), mapTypes),
    validations: objectsAt(json, "x-kubernetes-validations").map(validationRule),

    format: textAt(json, "format"),
    pattern: textAt(json, "pattern"),
    enum: listAt(json, "enum"),
    minimum: numberAt(json, "minimum"),
    maximum: numberAt(json, "maximum"),
    exclusiveMinimum: isTrueAt(json, "exclusiveMinimum"),
    exclusiveMaximum: isTrueAt(json, "exclusiveMaximum"),
    multipleOf: numberAt(json, "multipleOf"),
    minLength: numberAt(json, "minLength"),
    maxLength: numberAt(json, "maxLength"),
    minItems: numberAt(json, "minItems"),
    maxItems: numberAt(json, "maxItems"),
    uniqueItems: isTrueAt(json, "uniqueItems"),
    minProperties: numberAt(json, "minProperties"),
    maxProperties: numberAt(json, "maxProperties"),
    required: textsAt(json, "required"),

    hasJunctors: junctors.some((key) => getOwn(json, key) !== undefined),
    allOf: objectsAt(json, "allOf").map(compileSchema),
    anyOf: objectsAt(json, "anyOf").map(compileSchema),
    oneOf: objectsAt(json, "oneOf").map(compileSchema),
    not: schema(getOwn(json, "not")),
  });
}

const junctors = ["allOf", "anyOf", "oneOf", "not"];
const types = ["object", "array", "string", "integer", "number", "boolean"] as const;
const listTypes = ["atomic", "set", "map"] as const;
const mapTypes = ["granular", "atomic"] as const;

function isSchema(child: Schema | boolean | undefined): child is Schema {
  return typeof child === "object";
}

function validationRule(json: JsonObject): ValidationRule {
  const optionalOldSelf = getOwn(json, "optionalOldSelf");
  return Object.freeze({
    rule: textAt(json, "rule"),
    message: textAt(json, "message"),
    messageExpression: textAt(json, "messageExpression"),
    reason: textAt(json, "reason"),
    fieldPath: textAt(json, "fieldPath"),
    optionalOldSelf: typeof optionalOldSelf === "boolean" ? optionalOldSelf : undefined,
  });
}

function schema(json: Json | undefined): Schema | undefined {
  return isJsonObject(json) ? compileSchema(json) : undefined;
}

function schemaOrBoolean(json: Json | undefined): Schema | boolean | undefined {
  return typeof json === "boolean" ? json : schema(json);
}

function schemaMap(json: Json | undefined): ReadonlyMap<string, Schema> {
  const map = new Map<string, Schema>();
  if (!isJsonObject(json)) return map;
  for (const [name, value] of Object.entries(json)) {
    if (isJsonObject(value)) map.set(name, compileSchema(value));
  }
  return map;
}

function oneOf<T extends string>(json: Json | undefined, allowed: readonly T[]): T | undefined {
  return allowed.find((candidate) => candidate === json);
}

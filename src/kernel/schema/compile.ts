// From the JSON of a schema to its nodes. What does not have the right type is taken as absent:
// `structuralProblems` has told the author about it before a schema gets here.

import { getOwn, isJsonArray, isJsonObject } from "../json.ts";
import type { Json, JsonObject } from "../json.ts";
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
    nullable: isTrue(json, "nullable"),
    default: getOwn(json, "default") ?? undefined,
    addsDefaults: below.some((child) => child.default !== undefined || child.addsDefaults),
    hasKeyedLists: isKeyed || below.some((child) => child.hasKeyedLists),

    properties,
    additionalProperties,
    items,

    preserveUnknownFields: isTrue(json, "x-kubernetes-preserve-unknown-fields"),
    embeddedResource: isTrue(json, "x-kubernetes-embedded-resource"),
    intOrString: isTrue(json, "x-kubernetes-int-or-string"),
    listType,
    listMapKeys: strings(getOwn(json, "x-kubernetes-list-map-keys")),
    mapType: oneOf(getOwn(json, "x-kubernetes-map-type"), mapTypes),
    validations: objects(getOwn(json, "x-kubernetes-validations")).map(validationRule),

    format: text(json, "format"),
    pattern: text(json, "pattern"),
    enum: list(getOwn(json, "enum")),
    minimum: number(json, "minimum"),
    maximum: number(json, "maximum"),
    exclusiveMinimum: isTrue(json, "exclusiveMinimum"),
    exclusiveMaximum: isTrue(json, "exclusiveMaximum"),
    multipleOf: number(json, "multipleOf"),
    minLength: number(json, "minLength"),
    maxLength: number(json, "maxLength"),
    minItems: number(json, "minItems"),
    maxItems: number(json, "maxItems"),
    uniqueItems: isTrue(json, "uniqueItems"),
    minProperties: number(json, "minProperties"),
    maxProperties: number(json, "maxProperties"),
    required: strings(getOwn(json, "required")),

    hasJunctors: junctors.some((key) => getOwn(json, key) !== undefined),
    allOf: objects(getOwn(json, "allOf")).map(compileSchema),
    anyOf: objects(getOwn(json, "anyOf")).map(compileSchema),
    oneOf: objects(getOwn(json, "oneOf")).map(compileSchema),
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
    rule: text(json, "rule"),
    message: text(json, "message"),
    messageExpression: text(json, "messageExpression"),
    reason: text(json, "reason"),
    fieldPath: text(json, "fieldPath"),
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

function isTrue(json: JsonObject, key: string): boolean {
  return getOwn(json, key) === true;
}

function text(json: JsonObject, key: string): string {
  const value = getOwn(json, key);
  return typeof value === "string" ? value : "";
}

function number(json: JsonObject, key: string): number | undefined {
  const value = getOwn(json, key);
  return typeof value === "number" ? value : undefined;
}

function list(json: Json | undefined): readonly Json[] {
  return isJsonArray(json) ? json : [];
}

function objects(json: Json | undefined): readonly JsonObject[] {
  return list(json).filter(isJsonObject);
}

function strings(json: Json | undefined): readonly string[] {
  return list(json).filter((item) => typeof item === "string");
}

function oneOf<T extends string>(json: Json | undefined, allowed: readonly T[]): T | undefined {
  return allowed.find((candidate) => candidate === json);
}

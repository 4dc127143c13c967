// From the JSON of a schema to its nodes. What does not have the right type is taken as absent:
// `structuralProblems` has told the author about it before a schema gets here. A large schema takes
// long to compile, so it can be compiled in slices.

import { getOwn, isJsonObject } from "../json.ts";
import type { Json, JsonObject } from "../json.ts";
import { isTrueAt, listAt, numberAt, objectsAt, textAt, textsAt } from "../json-read.ts";
import { limits } from "../limits.ts";
import type { Schema, SchemaType, ValidationRule } from "./schema.ts";

/** Nodes that are compiled already, by their JSON. */
type Known = Map<JsonObject, Schema>;

export function compileSchema(json: JsonObject): Schema {
  return compileNode(json, undefined);
}

/** The same, with a pause after each slice. */
export async function compileSchemaInSlices(
  json: JsonObject,
  pause: () => Promise<void>,
): Promise<Schema> {
  const known: Known = new Map();
  let count = 0;
  for (const node of innermostFirst(json)) {
    known.set(node, compileNode(node, known));
    count += 1;
    if (count % limits.schemaSliceNodes === 0) await pause();
  }
  return compileNode(json, known);
}

/** All schemas in the schema, each after those inside of it. */
function innermostFirst(json: JsonObject): readonly JsonObject[] {
  const nodes: JsonObject[] = [];
  const left: JsonObject[] = [json];
  for (let node = left.pop(); node !== undefined; node = left.pop()) {
    nodes.push(node);
    for (const key of ["items", "additionalProperties", "not"]) {
      const child = getOwn(node, key);
      if (isJsonObject(child)) left.push(child);
    }
    for (const junctor of lists) for (const child of objectsAt(node, junctor)) left.push(child);
    const properties = getOwn(node, "properties");
    if (!isJsonObject(properties)) continue;
    for (const child of Object.values(properties)) if (isJsonObject(child)) left.push(child);
  }
  return nodes.toReversed();
}

const lists = ["allOf", "anyOf", "oneOf"];

function compileNode(json: JsonObject, known: Known | undefined): Schema {
  const done = known?.get(json);
  if (done !== undefined) return done;
  const compiled = (inner: JsonObject): Schema => compileNode(inner, known);
  const properties = schemaMap(getOwn(json, "properties"), known);
  const additionalProperties = schemaOrBoolean(getOwn(json, "additionalProperties"), known);
  const items = schema(getOwn(json, "items"), known);
  const allOf = objectsAt(json, "allOf").map(compiled);
  const below = [...properties.values(), additionalProperties, items].filter(isSchema);
  const listType = oneOf(getOwn(json, "x-kubernetes-list-type"), listTypes);
  const isKeyed = listType === "set" || listType === "map";
  const isEmbedded = isTrueAt(json, "x-kubernetes-embedded-resource");
  const validations = objectsAt(json, "x-kubernetes-validations").map(validationRule);
  return Object.freeze({
    type: oneOf<SchemaType>(getOwn(json, "type"), types) ?? "",
    nullable: isTrueAt(json, "nullable"),
    default: getOwn(json, "default") ?? undefined,
    addsDefaults: below.some((child) => child.default !== undefined || child.addsDefaults),
    hasKeyedLists: isKeyed || below.some((child) => child.hasKeyedLists),
    hasEmbedded: isEmbedded || below.some((child) => child.hasEmbedded),
    hasRules:
      validations.length > 0 ||
      below.some((child) => child.hasRules) ||
      allOf.some((part) => part.hasRules),

    properties,
    additionalProperties,
    items,

    preserveUnknownFields: isTrueAt(json, "x-kubernetes-preserve-unknown-fields"),
    embeddedResource: isEmbedded,
    intOrString: isTrueAt(json, "x-kubernetes-int-or-string"),
    listType,
    listMapKeys: textsAt(json, "x-kubernetes-list-map-keys"),
    mapType: oneOf(getOwn(json, "x-kubernetes-map-type"), mapTypes),
    validations,

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
    allOf,
    anyOf: objectsAt(json, "anyOf").map(compiled),
    oneOf: objectsAt(json, "oneOf").map(compiled),
    not: schema(getOwn(json, "not"), known),
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

function schema(json: Json | undefined, known: Known | undefined): Schema | undefined {
  return isJsonObject(json) ? compileNode(json, known) : undefined;
}

function schemaOrBoolean(
  json: Json | undefined,
  known: Known | undefined,
): Schema | boolean | undefined {
  return typeof json === "boolean" ? json : schema(json, known);
}

function schemaMap(json: Json | undefined, known: Known | undefined): ReadonlyMap<string, Schema> {
  if (!isJsonObject(json)) return noProperties;
  const map = new Map<string, Schema>();
  for (const name of Object.keys(json)) {
    const value = json[name];
    if (isJsonObject(value)) map.set(name, compileNode(value, known));
  }
  return map;
}

const noProperties: ReadonlyMap<string, Schema> = new Map();

function oneOf<T extends string>(json: Json | undefined, allowed: readonly T[]): T | undefined {
  return allowed.find((candidate) => candidate === json);
}

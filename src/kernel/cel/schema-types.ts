// A schema as CEL sees it: the types that expressions are checked against, the sizes that decide
// what rules may cost, and how JSON becomes values. What the schema does not describe is not
// there: unknown fields can be preserved, but no expression can reach them.

import { tick } from "../inline-time.ts";
import { limits } from "../limits.ts";
import type { Schema } from "../schema/schema.ts";
import type { Range } from "./estimates.ts";
import type { SizeHints } from "./estimate.ts";
import { escapeName, isReserved } from "./escape.ts";
import { boolType, bytesType, doubleType, durationType, dynType, intType } from "./types.ts";
import { listType, mapType, stringType, structType, timestampType } from "./types.ts";
import type { CelType } from "./types.ts";

interface Sizes {
  readonly schema: Schema;
  /** Characters, items or entries; zero for what has no size. */
  readonly maxElements: number;
  /** The shortest JSON that such a value can have, in bytes. */
  readonly minBytes: number;
}

export interface ScalarSchema extends Sizes {
  readonly kind: "scalar";
  readonly type: CelType;
}

export interface ListSchema extends Sizes {
  readonly kind: "list";
  readonly items: CelSchema;
}

export interface MapSchema extends Sizes {
  readonly kind: "map";
  readonly values: CelSchema;
}

export interface ObjectSchema extends Sizes {
  readonly kind: "object";
  /** By the name used in expressions. */
  readonly fields: ReadonlyMap<string, ObjectField>;
  /** The names in the document, of all properties. */
  readonly names: ReadonlySet<string>;
}

export interface ObjectField {
  readonly name: string;
  readonly schema: CelSchema;
}

export type CelSchema = ScalarSchema | ListSchema | MapSchema | ObjectSchema;

const ticksPerNode = 20;

/** Undefined when expressions cannot see such values. The root is that of a whole resource. */
export function schemaType(given: Schema, isRoot: boolean): CelSchema | undefined {
  tick(ticksPerNode);
  if (given.intOrString) {
    const max = given.maxLength === undefined ? longestText : charactersToBytes(given.maxLength);
    return scalar(given, dynType, max, 1);
  }
  const schema = isRoot ? withMetadata(given) : given;
  switch (schema.type) {
    case "array":
      return listSchema(schema);
    case "object":
      return typeof schema.additionalProperties === "object"
        ? mapSchema(schema, schema.additionalProperties)
        : objectSchema(schema);
    case "string":
      return textSchema(schema);
    case "boolean":
      return scalar(schema, boolType, 0, 4);
    case "number":
      return scalar(schema, doubleType, 0, 1);
    case "integer":
      return scalar(schema, intType, 0, 1);
    default:
      return undefined;
  }
}

/** Objects are named after where they are, as in "self.spec.@idx"; names tell them apart. */
export function celTypeOf(schema: CelSchema, name: string): CelType {
  tick(ticksPerNode);
  switch (schema.kind) {
    case "scalar":
      return schema.type;
    case "list":
      return listType(celTypeOf(schema.items, `${name}.@idx`));
    case "map":
      return mapType(stringType, celTypeOf(schema.values, `${name}.@elem`));
    default:
      return structType(name, fieldTypes(schema, name));
  }
}

function fieldTypes({ fields }: ObjectSchema, name: string): ReadonlyMap<string, CelType> {
  const types = new Map<string, CelType>();
  for (const [field, { name: written, schema }] of fields) {
    const type = celTypeOf(schema, `${name}.${field}`);
    types.set(field, type);
    if (isReserved(written)) types.set(written, type);
  }
  return types;
}

/** The sizes of the parts of a variable with this schema. */
export function sizeHints(root: CelSchema): SizeHints {
  return (path) => {
    let schema: CelSchema | undefined = root;
    for (const step of path.slice(1)) {
      if (schema === undefined) return undefined;
      schema = stepInto(schema, step);
    }
    return schema === undefined ? undefined : sizeOf(schema);
  };
}

function sizeOf({ maxElements }: CelSchema): Range {
  return { min: 0, max: maxElements };
}

const keySchema = (schema: Schema): CelSchema => scalar(schema, stringType, 0, 2);

function stepInto(schema: CelSchema, step: string): CelSchema | undefined {
  switch (step) {
    case "@items":
    case "@values":
      if (schema.kind === "list") return schema.items;
      return schema.kind === "map" ? schema.values : undefined;
    case "@keys":
      return schema.kind === "map" ? keySchema(schema.schema) : undefined;
    default:
      return schema.kind === "object" ? schema.fields.get(step)?.schema : undefined;
  }
}

const requestBytes = limits.maxCelRequestBytes;
/** What fits between the quotes of a request that is nothing else. */
const longestText = requestBytes - 2;

/** Lengths are given in characters, which can have four bytes. */
function charactersToBytes(length: number): number {
  return Math.max(0, length) * 4;
}

function scalar(
  schema: Schema,
  type: CelType,
  maxElements: number,
  minBytes: number,
): ScalarSchema {
  return { kind: "scalar", schema, type, maxElements, minBytes };
}

function textSchema(schema: Schema): CelSchema {
  switch (schema.format) {
    case "byte":
      return scalar(schema, bytesType, Math.max(0, schema.maxLength ?? longestText), 2);
    case "duration":
      return scalar(schema, durationType, 32, 3);
    case "date":
      return scalar(schema, timestampType, 12, 12);
    case "date-time":
      return scalar(schema, timestampType, 32, 21);
    default:
      return scalar(schema, stringType, longestOf(schema), 2);
  }
}

function longestOf(schema: Schema): number {
  if (schema.maxLength !== undefined) return charactersToBytes(schema.maxLength);
  if (schema.enum.length === 0) return longestText;
  return schema.enum.reduce<number>(
    (longest, text) =>
      typeof text === "string" ? Math.max(longest, Buffer.byteLength(text)) : longest,
    0,
  );
}

function listSchema(schema: Schema): CelSchema | undefined {
  const items =
    schema.items === undefined
      ? undefined
      : schemaType(schema.items, schema.items.embeddedResource);
  if (items === undefined) return undefined;
  const fitting = Math.floor((requestBytes - 2) / (items.minBytes + 1));
  const maxElements = Math.max(0, schema.maxItems ?? fitting);
  return { kind: "list", schema, items, maxElements, minBytes: 2 };
}

function mapSchema(schema: Schema, additional: Schema): CelSchema | undefined {
  const values = schemaType(additional, additional.embeddedResource);
  if (values === undefined) return undefined;
  // The shortest entry has a key of two characters with quotes, a colon and a comma.
  const fitting = Math.floor((requestBytes - 2) / (values.minBytes + 6));
  const maxElements = Math.max(0, schema.maxProperties ?? fitting);
  return { kind: "map", schema, values, maxElements, minBytes: 2 };
}

function objectSchema(schema: Schema): CelSchema {
  const fields = new Map<string, ObjectField>();
  const required = new Set(schema.required);
  let minBytes = 2;
  for (const [name, property] of schema.properties) {
    const inner = schemaType(property, property.embeddedResource);
    if (inner === undefined) continue;
    const escaped = escapeName(name);
    if (escaped !== undefined) fields.set(escaped, { name, schema: inner });
    // Defaults are filled in by the server, so they need not be in the request.
    if (required.has(name) && property.default === undefined) {
      minBytes += Buffer.byteLength(name) + inner.minBytes + 4;
    }
  }
  const names = new Set(schema.properties.keys());
  return { kind: "object", schema, fields, names, maxElements: 0, minBytes };
}

/** Resources show their type and their name, whatever the schema says about the rest. */
function withMetadata(schema: Schema): Schema {
  const metadata = schema.properties.get("metadata");
  const isText = (found: Schema | undefined): boolean => found?.type === "string";
  const isComplete =
    isText(schema.properties.get("kind")) &&
    isText(schema.properties.get("apiVersion")) &&
    metadata?.type === "object" &&
    isText(metadata.properties.get("name")) &&
    isText(metadata.properties.get("generateName"));
  if (isComplete) return schema;
  const text: Schema = { ...emptied(schema), type: "string" };
  const named: Schema = {
    ...emptied(schema),
    type: "object",
    properties: new Map([
      ["name", text],
      ["generateName", text],
    ]),
  };
  const properties = new Map(schema.properties);
  properties.set("kind", text).set("apiVersion", text).set("metadata", named);
  return { ...schema, properties };
}

/** A schema that says nothing, in the shape of another. */
function emptied(schema: Schema): Schema {
  return {
    ...schema,
    type: "",
    nullable: false,
    default: undefined,
    properties: new Map(),
    additionalProperties: undefined,
    items: undefined,
    embeddedResource: false,
    intOrString: false,
    format: "",
    enum: [],
    maxLength: undefined,
    maxProperties: undefined,
    required: [],
    validations: [],
  };
}

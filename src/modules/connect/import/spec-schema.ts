// The schema of what people declare: the fields that may be written, as a schema that definitions
// may have. It says less than the document where the document may be wrong or goes on for ever:
// open enums and unknown formats limit nothing, defaults are left to the service (what it fills in
// is not what somebody asked for), and below a cut anything may be.

import { isJsonArray, setOwn } from "../../../kernel/json.ts";
import type { Json, JsonObject, MutableJsonObject } from "../../../kernel/json.ts";
import { regexProblem } from "../../../kernel/regex.ts";
import type { SchemaNode } from "../document/tree.ts";
import type { Classified } from "../fields/classify.ts";
import { nodeOf, sides } from "../fields/field-table.ts";
import type { Field, ResourceTrees } from "../fields/field-table.ts";

export interface SpecInput {
  readonly trees: ResourceTrees;
  readonly classified: Classified;
  /** Fields that are none of the object, such as commands. */
  readonly without?: ReadonlySet<string>;
}

export function specSchema({ trees, classified, without = new Set() }: SpecInput): JsonObject {
  const children = new Map<string, Field[]>();
  for (const field of classified.table.values()) {
    const isWritten = sides.some((side) => side !== "read" && field.at[side] !== undefined);
    const isKept =
      isWritten &&
      classified.judgements.get(field.path)?.class !== "read-only" &&
      !without.has(field.path);
    if (!isKept) continue;
    const above = field.parent?.path ?? "";
    const known = children.get(above);
    if (known === undefined) children.set(above, [field]);
    else known.push(field);
  }
  const root = trees.create ?? trees.replace ?? trees.patch;
  if (root === undefined) return anyObject;
  return objectSchema(root, children.get("") ?? [], { classified, children });
}

const anyObject: JsonObject = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
const anyValue: JsonObject = { "x-kubernetes-preserve-unknown-fields": true };

interface Context {
  readonly classified: Classified;
  readonly children: ReadonlyMap<string, readonly Field[]>;
}

function schemaOf(field: Field, context: Context): JsonObject {
  const node = nodeOf(field);
  if (node === undefined) return anyValue;
  const description = shortened(node.description);
  return { ...valueSchema(node, field, context), ...(description === "" ? {} : { description }) };
}

function valueSchema(node: SchemaNode, field: Field, context: Context): JsonObject {
  const nullable = node.isNullable ? { nullable: true } : {};
  const children = context.children.get(field.path) ?? [];
  const types = new Set(node.types.map((type) => type));
  if (types.has("integer") && types.has("number")) types.delete("integer");
  const [type] = types;
  if (types.size === 2 && types.has("integer") && types.has("string")) {
    return { "x-kubernetes-int-or-string": true, ...nullable };
  }
  if (type === undefined || types.size > 1) return anyValue;
  if (type === "object") return { ...objectSchema(node, children, context), ...nullable };
  if (type === "array") {
    const [item] = children;
    const items = item === undefined ? anyValue : schemaOf(item, context);
    return { type: "array", items, ...bounds(node, ["minItems", "maxItems"]), ...nullable };
  }
  return { type, ...scalarSchema(type, node), ...nullable };
}

function objectSchema(node: SchemaNode, children: readonly Field[], context: Context): JsonObject {
  const properties: MutableJsonObject = {};
  let free: Field | undefined;
  for (const child of children) {
    if (isFree(child)) free = child;
    else setOwn(properties, keyOf(child), schemaOf(child, context));
  }
  const hasProperties = Object.keys(properties).length > 0;
  if (!hasProperties && free !== undefined && !node.isCut) {
    return { type: "object", additionalProperties: schemaOf(free, context) };
  }
  const isOpen = node.isCut || node.additional !== undefined || !hasProperties;
  const required = children
    .filter((child) => isRequired(child, node, context))
    .map((child) => keyOf(child));
  return {
    type: "object",
    ...(hasProperties ? { properties } : {}),
    ...(required.length === 0 ? {} : { required }),
    ...(isOpen ? { "x-kubernetes-preserve-unknown-fields": true } : {}),
  };
}

function isRequired(field: Field, parent: SchemaNode, { classified }: Context): boolean {
  const judgement = classified.judgements.get(field.path);
  // A secret may come from elsewhere, and what is only taken later cannot be needed.
  const isLate = judgement === undefined || judgement.class === "update-only";
  if (isLate || judgement.isSecret) return false;
  return !isFree(field) && parent.required.has(keyOf(field));
}

/** The last token is `*` for free keys and items, unless a property is called so. */
function isFree(field: Field): boolean {
  const { parent } = field;
  if (!field.path.endsWith("/*")) return false;
  return (
    parent === undefined || sides.every((side) => parent.at[side]?.properties.has("*") !== true)
  );
}

function keyOf(field: Field): string {
  return nodeOf(field)?.name ?? "";
}

const formats: Readonly<Record<string, readonly string[]>> = {
  string: ["date-time", "date", "uuid", "ipv4", "ipv6", "byte"],
  integer: ["int32", "int64"],
  number: ["float", "double"],
  boolean: [],
};

function scalarSchema(type: string, node: SchemaNode): JsonObject {
  const { keywords } = node;
  const found: MutableJsonObject = {};
  const { format, pattern, enum: values } = keywords;
  if (typeof format === "string" && formats[type]?.includes(format) === true) {
    found["format"] = format;
  }
  if (type === "string") {
    Object.assign(found, bounds(node, ["minLength", "maxLength"]));
    const isPattern = typeof pattern === "string" && regexProblem(pattern) === undefined;
    if (isPattern) found["pattern"] = pattern;
  }
  if (type === "integer" || type === "number") Object.assign(found, range(keywords));
  if (isJsonArray(values) && !node.isOpenEnum) {
    const fitting = values.filter((value) => isOfType(value, type));
    const isClosed =
      fitting.length > 0 && fitting.length >= values.filter((v) => v !== null).length;
    if (isClosed) found["enum"] = [...new Set(fitting)];
  }
  return found;
}

function isOfType(value: Json, type: string): boolean {
  if (type === "integer") return Number.isInteger(value);
  return typeof value === type;
}

/** OpenAPI 3.1 has bounds that are not reached as numbers of their own. */
function range(keywords: JsonObject): JsonObject {
  const found: MutableJsonObject = {};
  for (const [bound, exclusive] of [
    ["minimum", "exclusiveMinimum"],
    ["maximum", "exclusiveMaximum"],
  ] as const) {
    const [value, not] = [keywords[bound], keywords[exclusive]];
    if (typeof not === "number") {
      found[bound] = not;
      found[exclusive] = true;
    } else if (typeof value === "number") {
      found[bound] = value;
      if (not === true) found[exclusive] = true;
    }
  }
  return found;
}

function bounds({ keywords }: SchemaNode, keys: readonly string[]): JsonObject {
  const found: MutableJsonObject = {};
  for (const key of keys) {
    const value = keywords[key];
    if (typeof value === "number" && Number.isInteger(value) && value >= 0) found[key] = value;
  }
  return found;
}

function shortened(text: string): string {
  const plain = text.slice(0, 600).replace(/\s+/g, " ").trim();
  return plain.length <= 240 ? plain : `${plain.slice(0, 239)}…`;
}

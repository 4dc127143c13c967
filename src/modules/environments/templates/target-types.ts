// What is wrong with the document of an entry by the schema of its kind, found before anything is
// deployed: fields that the kind does not have, and values and expressions of another type. Fields
// that are missing are not reported, because defaults and policies may add them. Pure.

import { appendAll } from "../../../kernel/append.ts";
import { compileExpression } from "../../../kernel/cel/environment.ts";
import { boolType, doubleType, dynType, intType, listType } from "../../../kernel/cel/types.ts";
import { mapType, stringType, structType } from "../../../kernel/cel/types.ts";
import type { CelType, TypeKind } from "../../../kernel/cel/types.ts";
import type { FieldError } from "../../../kernel/field-error.ts";
import { invalidField } from "../../../kernel/field-error.ts";
import { isJsonObject } from "../../../kernel/json.ts";
import type { Json, JsonObject } from "../../../kernel/json.ts";
import { textAt } from "../../../kernel/json-read.ts";
import type { Kind } from "../../../kernel/kind.ts";
import { limits } from "../../../kernel/limits.ts";
import type { Suggest } from "../../../kernel/nearest-name.ts";
import { isResourceField } from "../../../kernel/schema/prune.ts";
import type { Schema, SchemaType } from "../../../kernel/schema/schema.ts";
import { validateValue } from "../../../kernel/schema/validate.ts";
import { typeError } from "../../../kernel/schema/value-checks.ts";
import type { Sliced } from "../../../kernel/sliced.ts";
import { textParts } from "../../../kernel/template/template-text.ts";

export type Variables = Readonly<Record<string, CelType>>;

/** A kind that is served. */
export interface FoundKind {
  readonly kind: Kind;
  /** Of the version; absent where documents are not compared with it. */
  readonly schema?: Schema;
}

interface Check {
  readonly kind: string;
  readonly variables: Variables;
  readonly suggest: Suggest;
  readonly errors: FieldError[];
  /** Compiling them takes long, so this is done in steps. */
  readonly expressions: Expression[];
}

/** A text that is one expression, in a field of a known type. */
interface Expression {
  readonly source: string;
  readonly text: string;
  readonly schema: Schema;
  readonly path: string;
}

/** `path` is where the document is in the template. Pauses between expressions. */
export function* documentErrors(
  document: Json | undefined,
  { kind, schema }: FoundKind,
  { variables, suggest }: Pick<Check, "variables" | "suggest">,
  path: string,
): Sliced<readonly FieldError[]> {
  if (!isJsonObject(document) || schema === undefined) return [];
  const check: Check = {
    kind: kind.names.kind,
    variables,
    suggest,
    errors: [],
    expressions: [],
  };
  visitObject(check, document, schema, path, true);
  for (const { source, ...place } of check.expressions) {
    if (check.errors.length >= limits.maxSchemaErrors) break;
    yield;
    const type = typeOf(source, variables);
    if (type !== undefined) checkType(check, type, place);
  }
  return check.errors;
}

/** Of a text that is not in a document of a kind. */
export function expressionErrors(
  text: Json | undefined,
  schema: WantedType,
  variables: Variables,
  path: string,
): readonly FieldError[] {
  if (typeof text !== "string") return [];
  const parts = textParts(text) ?? [];
  const [first] = parts;
  if (parts.every((part) => part.kind === "text")) return [];
  const isWhole = parts.length === 1 && first?.kind === "expression";
  const type = isWhole ? typeOf(first.source, variables) : "string";
  return type === undefined ? [] : typeErrors(type, { schema, path, text });
}

function visit(check: Check, value: Json, schema: Schema, path: string): void {
  if (check.errors.length >= limits.maxSchemaErrors || value === null) return;
  if (typeof value === "string") {
    visitText(check, value, schema, path);
    return;
  }
  if (typeof value !== "object") {
    appendAll(check.errors, validateValue(schema, value, path));
    return;
  }
  const wrong = typeError(schema, value, () => ({ prefix: path, name: "" }));
  if (wrong !== undefined) check.errors.push(wrong);
  else if (isJsonObject(value)) visitObject(check, value, schema, path, schema.embeddedResource);
  else if (schema.items !== undefined) {
    for (const [at, item] of value.entries()) visit(check, item, schema.items, `${path}[${at}]`);
  }
}

function visitObject(
  check: Check,
  object: JsonObject,
  schema: Schema,
  path: string,
  isResource: boolean,
): void {
  const { additionalProperties: others } = schema;
  for (const [key, value] of Object.entries(object)) {
    // The schema of Templates has them.
    if (isResource && isResourceField(key)) continue;
    const at = `${path}.${key}`;
    const property = schema.properties.get(key) ?? others;
    if (typeof property === "object") visit(check, value, property, at);
    else if (property !== true && !schema.preserveUnknownFields) {
      if (check.errors.length >= limits.maxSchemaErrors) return;
      const near = check.suggest(key, schema.properties.keys());
      check.errors.push(invalidField(at, key, `${check.kind} has no such field${near}`));
    }
  }
}

function visitText(check: Check, text: string, schema: Schema, path: string): void {
  const parts = textParts(text) ?? [];
  const [first] = parts;
  if (parts.every((part) => part.kind === "text")) {
    const literal = parts.map((part) => (part.kind === "text" ? part.text : "")).join("");
    appendAll(check.errors, validateValue(schema, literal, path));
  } else if (parts.length > 1 || first?.kind !== "expression") {
    checkType(check, "string", { schema, path, text });
  } else if (schema.type !== "" || schema.intOrString) {
    check.expressions.push({ source: first.source, schema, path, text });
  }
}

/** Of a text with expressions. */
function checkType(check: Check, type: SchemaType, expression: Omit<Expression, "source">): void {
  appendAll(check.errors, typeErrors(type, expression));
}

function typeErrors(
  type: SchemaType,
  { schema, path, text }: Pick<Expression, "path" | "text"> & { readonly schema: WantedType },
): readonly FieldError[] {
  const wanted = wantedTypes(schema);
  // The value of an expression with a fraction may be a whole number.
  const isNumber = (each: string): boolean => each === "integer" || each === "number";
  if (wanted.length === 0 || wanted.includes(type)) return [];
  if (isNumber(type) && wanted.some(isNumber)) return [];
  const detail = `it is of type ${type}, and must be of type ${wanted.join(" or ")}`;
  return [invalidField(path, text, detail)];
}

type WantedType = Pick<Schema, "type" | "intOrString">;

function wantedTypes({ type, intOrString }: WantedType): readonly SchemaType[] {
  if (intOrString) return ["integer", "string"];
  return type === "" ? [] : [type];
}

/** Of the value of an expression; undefined when it is known only when it is evaluated. */
function typeOf(source: string, variables: Variables): SchemaType | undefined {
  const compiled = compileExpression(source, { variables });
  // Such as a parameter that is read by a computed name.
  return compiled.kind === "failed" ? undefined : jsonTypes[compiled.program.type.kind];
}

const jsonTypes: Readonly<Partial<Record<TypeKind, SchemaType>>> = {
  bool: "boolean",
  int: "integer",
  uint: "integer",
  double: "number",
  string: "string",
  bytes: "string",
  timestamp: "string",
  duration: "string",
  list: "array",
  map: "object",
  struct: "object",
};

/** The variables of a document, with the types of the parameters. */
export function typedVariables(names: readonly string[], parameters: JsonObject): Variables {
  const fields = Object.entries(parameters).map(([name, declared]): [string, CelType] => {
    return [name, parameterTypes[textAt(declared, "type")] ?? dynType];
  });
  const known: Variables = {
    parameters: structType("parameters", new Map(fields)),
    environment: structType("environment", environmentFields),
    index: intType,
    count: intType,
  };
  return Object.fromEntries(names.map((name) => [name, known[name] ?? dynType]));
}

const environmentFields: ReadonlyMap<string, CelType> = new Map([
  ["name", stringType],
  ["displayName", stringType],
  ["namespace", stringType],
  ["tags", mapType(stringType, stringType)],
]);

const parameterTypes: Readonly<Record<string, CelType>> = {
  string: stringType,
  integer: intType,
  number: doubleType,
  boolean: boolType,
  array: listType(dynType),
  object: mapType(stringType, dynType),
};

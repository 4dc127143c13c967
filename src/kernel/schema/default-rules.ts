// Checks the defaults of a schema. A default must have no unknown fields and must match the schema
// at its place, so that defaulting never makes a valid document invalid. A default in the metadata
// of an embedded resource is checked inside an otherwise empty resource.

import { invalidField } from "../field-error.ts";
import { formatFieldErrors } from "../field-error-text.ts";
import type { FieldError } from "../field-error.ts";
import { equalJson, isJsonObject } from "../json.ts";
import type { Json, JsonObject } from "../json.ts";
import { appendAll } from "../append.ts";
import { coerceEmbedded, embeddedProblems } from "./embedded.ts";
import { isResourceField, prune } from "./prune.ts";
import type { Schema } from "./schema.ts";
import { validateValue } from "./validate.ts";

export function defaultErrors(schema: Schema, path: string): readonly FieldError[] {
  const errors: FieldError[] = [];
  const root = { ...schema, embeddedResource: true };
  visit(root, path, { root, around: (value) => value, isMetadata: false }, errors);
  return errors;
}

interface Context {
  /** The resource around the value. */
  readonly root: Schema;
  /** Puts a value into such a resource, at the place of the schema. */
  readonly around: (value: Json) => Json;
  readonly isMetadata: boolean;
}

function visit(schema: Schema, path: string, given: Context, errors: FieldError[]): void {
  const context: Context = schema.embeddedResource
    ? { root: schema, around: (value) => value, isMetadata: false }
    : given;
  if (schema.default !== undefined) {
    const at = `${path}.default`;
    const found = context.isMetadata
      ? metadataErrors(schema, schema.default, at, context)
      : valueErrors(schema, schema.default, at);
    appendAll(errors, found);
  }
  const { items, properties, embeddedResource } = schema;
  if (items !== undefined) {
    const inner = { ...context, around: (value: Json) => context.around([value]) };
    visit(items, `${path}.items`, inner, errors);
  }
  for (const [key, property] of properties) {
    const isMetadata = context.isMetadata || (embeddedResource && isResourceField(key));
    const around = (value: Json): Json => context.around({ [key]: value });
    const inner = { ...context, around, isMetadata };
    visit(property, `${path}.properties[${key}]`, inner, errors);
  }
}

function valueErrors(schema: Schema, value: Json, path: string): readonly FieldError[] {
  const errors: FieldError[] = [];
  const { value: pruned } = prune(schema, value, { isRoot: schema.embeddedResource });
  if (!equalJson(pruned, value)) {
    errors.push(invalidField(path, value, "must not have unknown fields"));
  }
  const { error } = coerceEmbedded(schema, value, path);
  const problems = error === undefined ? embeddedProblems(schema, value, path) : [error];
  return [...errors, ...(problems.length > 0 ? problems : validateValue(schema, value, path))];
}

function metadataErrors(
  schema: Schema,
  value: Json,
  path: string,
  { root, around }: Context,
): readonly FieldError[] {
  const resource = withType(around(value));
  const { error } = coerceEmbedded(root, resource);
  const problems = error === undefined ? embeddedProblems(root, resource) : [error];
  if (problems.length === 0) return validateValue(schema, value, path);
  const detail = `must result in valid metadata: ${formatFieldErrors(problems)}`;
  return [invalidField(path, value, detail)];
}

function withType(value: Json): Json {
  const type: JsonObject = { apiVersion: "validation/v1", kind: "Validation" };
  return isJsonObject(value) ? { ...type, ...value } : value;
}

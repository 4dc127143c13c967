// The checks of selectable fields: each must lead through the schema to one plain value that every
// document can be found by.

import {
  duplicateField,
  invalidField,
  requiredField,
  tooManyItems,
} from "../../kernel/field-error.ts";
import type { FieldError } from "../../kernel/field-error.ts";
import { getOwn, isJsonObject } from "../../kernel/json.ts";
import type { JsonObject } from "../../kernel/json.ts";
import { hasObject, objectAt, textAt } from "../../kernel/json-read.ts";
import { limits } from "../../kernel/limits.ts";

export function selectableErrors(
  selectable: readonly JsonObject[],
  schema: JsonObject,
  path: string,
): readonly FieldError[] {
  const errors: FieldError[] = [];
  const seen = new Set<string>();
  for (const [index, one] of selectable.entries()) {
    const jsonPath = textAt(one, "jsonPath");
    const field = `${path}[${index}].jsonPath`;
    if (jsonPath === "") {
      errors.push(requiredField(field));
      continue;
    }
    const found = resolve(jsonPath, schema);
    if (typeof found === "string") {
      errors.push(invalidField(field, jsonPath, `is an invalid path: ${found}`));
      continue;
    }
    if (/^\.metadata(?:\.|$)/.test(jsonPath)) {
      errors.push(invalidField(field, jsonPath, "must not point to fields in metadata"));
    }
    if (!plainTypes.has(textAt(found, "type"))) errors.push(notPlain(field, jsonPath));
    if (seen.has(jsonPath)) errors.push(duplicateField(field, jsonPath));
    seen.add(jsonPath);
  }
  if (seen.size > limits.maxSelectableFields) {
    errors.push(tooManyItems(path, seen.size, limits.maxSelectableFields));
  }
  return errors;
}

const plainTypes = new Set(["string", "boolean", "integer"]);

function notPlain(field: string, jsonPath: string): FieldError {
  const detail =
    "must point to a field of type string, boolean or integer. " +
    "Enum string fields and strings with formats are allowed.";
  return invalidField(field, jsonPath, detail);
}

/** The schema at the path, or why there is none. */
function resolve(jsonPath: string, root: JsonObject): JsonObject | string {
  const tokens = jsonPath.match(/[.[\]]|[^.[\]]+/g) ?? [];
  let schema = root;
  for (let at = 0; at < tokens.length; at += 2) {
    const mark = tokens[at] ?? "";
    if (mark === "[") return "array notation is not allowed";
    if (mark !== ".") return `expected [ or . but got: ${mark}`;
    const name = tokens[at + 1];
    if (name === undefined) return "unexpected end of JSON path";
    const child = childOf(schema, name);
    if (child === undefined) return "does not refer to a valid field";
    schema = child;
  }
  return schema;
}

function childOf(schema: JsonObject, name: string): JsonObject | undefined {
  const properties = objectAt(schema, "properties");
  if (Object.keys(properties).length === 0 && hasObject(schema, "additionalProperties")) {
    return objectAt(schema, "additionalProperties");
  }
  const child = getOwn(properties, name);
  return isJsonObject(child) ? child : undefined;
}

// The checks of one schema of a definition: what may stand at its root, whether it is structural,
// and Setpoint's own field rules. Schemas can be large, so an update looks closely only at those
// that changed.

import { ruleProblems } from "../../kernel/cel/rule-problems.ts";
import { invalidField } from "../../kernel/field-error.ts";
import type { FieldError } from "../../kernel/field-error.ts";
import { getOwn, isJsonArray, isJsonObject } from "../../kernel/json.ts";
import type { Json, JsonObject } from "../../kernel/json.ts";
import { textAt } from "../../kernel/json-read.ts";
import { compileSchema } from "../../kernel/schema/compile.ts";
import { structuralProblems } from "../../kernel/schema/structural-problems.ts";
import { fieldRuleErrors } from "./definition-field-rules.ts";
import { goSchema, schemaFields } from "./definition-go-text.ts";

export interface SchemaCheck {
  readonly hasStatus: boolean;
  /** The same schema has been accepted before. */
  readonly isUnchanged: boolean;
}

/** `path` is that of the schema itself, as in "spec.validation.openAPIV3Schema". */
export function schemaErrors(
  schema: JsonObject,
  path: string,
  check: SchemaCheck,
): readonly FieldError[] {
  const errors: FieldError[] = [];
  if (check.hasStatus) errors.push(...rootErrors(schema, path));
  if (check.isUnchanged) return errors;
  const structural = structuralProblems(schema, path);
  const rules = structural.length === 0 ? ruleProblems(compileSchema(schema), path) : [];
  return [...errors, ...structural, ...rules, ...fieldRuleErrors(schema, path)];
}

/** True when a default stands anywhere in the schema. */
export function hasDefaults(schema: Json | undefined): boolean {
  if (isJsonArray(schema)) return schema.some(hasDefaults);
  if (!isJsonObject(schema)) return false;
  if ((getOwn(schema, "default") ?? null) !== null) return true;
  return Object.entries(schema).some(([key, value]) => {
    if (lists.has(key)) return hasDefaults(value);
    return maps.has(key) && isJsonObject(value) && Object.values(value).some(hasDefaults);
  });
}

const lists = new Set(["items", "allOf", "anyOf", "oneOf", "not", "additionalProperties"]);
const maps = new Set(["properties", "patternProperties", "definitions"]);

const rootFields =
  "Description Type Format Title Maximum ExclusiveMaximum Minimum ExclusiveMinimum MaxLength " +
  "MinLength Pattern MaxItems MinItems UniqueItems MultipleOf Required Items Properties " +
  "ExternalDocs Example XPreserveUnknownFields XValidations";
const allowedAtRoot = new Set(rootFields.split(" "));

/** The status is checked on its own, so the root may say nothing that would be lost by that. */
function rootErrors(schema: JsonObject, path: string): readonly FieldError[] {
  const type = textAt(schema, "type");
  for (const [name, key] of schemaFields) {
    if (isZero(getOwn(schema, key))) continue;
    if (name === "Type" && type !== "object") {
      const detail =
        'only "object" is allowed as the type at the root of the schema ' +
        "if the status subresource is enabled";
      return [invalidField(`${path}.type`, type, detail)];
    }
    if (allowedAtRoot.has(name)) continue;
    const detail =
      `only [${rootFields}] fields are allowed at the root of the schema ` +
      "if the status subresource is enabled";
    return [{ ...invalidField(path, null, detail), shown: goSchema(schema) }];
  }
  return [];
}

function isZero(value: Json | undefined): boolean {
  if (isJsonObject(value)) return Object.keys(value).length === 0;
  return value === undefined || value === null || value === "" || value === false;
}

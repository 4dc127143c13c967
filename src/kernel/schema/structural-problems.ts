// Everything that may be wrong with the schema of a CustomResourceDefinition, apart from the CEL
// in it: what Kubernetes refuses is refused here, with the same words at the same paths.

import { forbiddenField, invalidField } from "../field-error.ts";
import type { FieldError } from "../field-error.ts";
import type { JsonObject } from "../json.ts";
import { isTrueAt, textAt } from "../json-read.ts";
import { limits } from "../limits.ts";
import { appendAll } from "../append.ts";
import { compileSchema } from "./compile.ts";
import { defaultErrors } from "./default-rules.ts";
import { foreignKeyword } from "./foreign-keyword.ts";
import { openApiErrors } from "./openapi-rules.ts";
import { isDeeperThan, isSet } from "./schema-json.ts";
import { structureErrors } from "./structural.ts";

export interface StructuralOptions {
  /** The version has a status subresource, whose schema is taken out of the whole one. */
  readonly hasStatus?: boolean | undefined;
}

/** `path` leads to the schema, as in "spec.versions[0].schema.openAPIV3Schema". */
export function structuralProblems(
  json: JsonObject,
  path: string,
  { hasStatus = false }: StructuralOptions = {},
): readonly FieldError[] {
  if (isDeeperThan(json, limits.maxSchemaDepth)) {
    return [forbiddenField(path, `must not be nested more than ${limits.maxSchemaDepth} levels`)];
  }
  const errors = hasStatus ? [...statusErrors(json, path)] : [];
  if (isTrueAt(json, "nullable")) {
    errors.push(forbiddenField(`${path}.nullable`, "nullable cannot be true at the root"));
  }
  // Structure is looked at only where the keywords are known; what is unknown is named instead.
  const unknown = foreignKeyword(json);
  const structure = unknown === undefined ? structureErrors(json, path) : [];
  appendAll(errors, structure);
  if (unknown === undefined && structure.length === 0) {
    appendAll(errors, defaultErrors(compileSchema(json), path));
  }
  appendAll(errors, openApiErrors(json, path));
  if (unknown !== undefined && errors.length === 0) errors.push(invalidField(path, "", unknown));
  return errors;
}

/** Keywords that may stand at the root when there is a status, with their names in Go. */
const rootKeywords: ReadonlyMap<string, string> = new Map([
  ["description", "Description"],
  ["type", "Type"],
  ["format", "Format"],
  ["title", "Title"],
  ["maximum", "Maximum"],
  ["exclusiveMaximum", "ExclusiveMaximum"],
  ["minimum", "Minimum"],
  ["exclusiveMinimum", "ExclusiveMinimum"],
  ["maxLength", "MaxLength"],
  ["minLength", "MinLength"],
  ["pattern", "Pattern"],
  ["maxItems", "MaxItems"],
  ["minItems", "MinItems"],
  ["uniqueItems", "UniqueItems"],
  ["multipleOf", "MultipleOf"],
  ["required", "Required"],
  ["items", "Items"],
  ["properties", "Properties"],
  ["externalDocs", "ExternalDocs"],
  ["example", "Example"],
  ["x-kubernetes-preserve-unknown-fields", "XPreserveUnknownFields"],
  ["x-kubernetes-validations", "XValidations"],
]);

function statusErrors(json: JsonObject, path: string): readonly FieldError[] {
  const type = textAt(json, "type");
  if (type !== "" && type !== "object") {
    const detail =
      'only "object" is allowed as the type at the root of the schema ' +
      "if the status subresource is enabled";
    return [invalidField(`${path}.type`, type, detail)];
  }
  const stranger = Object.keys(json).find(
    (key) => !rootKeywords.has(key) && isSet(json, key) && json[key] !== false,
  );
  if (stranger === undefined) return [];
  const detail =
    `only [${[...rootKeywords.values()].join(" ")}] fields are allowed at the root of the schema ` +
    "if the status subresource is enabled";
  return [invalidField(path, json, detail)];
}

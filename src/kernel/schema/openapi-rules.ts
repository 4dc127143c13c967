// The rules of the OpenAPI dialect of a CustomResourceDefinition: which keywords it has, how the
// Kubernetes extensions combine, and where defaults may stand. Messages and paths are those of
// Kubernetes. Rules written in CEL are checked for their form only; whoever runs them compiles
// them, too.

import { forbiddenField, invalidField, requiredField, unsupportedField } from "../field-error.ts";
import type { FieldError } from "../field-error.ts";
import { getOwn, isJsonArray, isJsonObject } from "../json.ts";
import type { JsonObject } from "../json.ts";
import { isTrueAt, objectsAt, presentObjectAt, textAt } from "../json-read.ts";
import { appendAll } from "../append.ts";
import { isResourceField } from "./prune.ts";
import { listTypeErrors } from "./list-type-rules.ts";
import { isSet, schemasIn } from "./schema-json.ts";
import { ruleFormErrors } from "./validation-rules.ts";

export function openApiErrors(json: JsonObject, path: string): readonly FieldError[] {
  const errors: FieldError[] = [];
  visit(json, path, { isRoot: true, isMetadata: false, noDefaults: undefined }, errors);
  return errors;
}

interface Context {
  readonly isRoot: boolean;
  /** Inside of the type or metadata of a resource. */
  readonly isMetadata: boolean;
  /** Why defaults are forbidden here; undefined where they are not. */
  readonly noDefaults: string | undefined;
}

function visit(json: JsonObject, path: string, context: Context, errors: FieldError[]): void {
  keywordErrors(json, path, context, errors);
  if (isTrueAt(json, "uniqueItems")) {
    const detail =
      "uniqueItems cannot be set to true since the runtime complexity becomes quadratic";
    errors.push(forbiddenField(`${path}.uniqueItems`, detail));
  }
  visitAdditional(json, path, context, errors);
  visitProperties(json, path, context, errors);
  const inner = { ...context, isRoot: false };
  const not = presentObjectAt(json, "not");
  if (not !== undefined) visit(not, `${path}.not`, inner, errors);
  for (const junctor of ["allOf", "oneOf", "anyOf"]) {
    for (const [i, nested] of objectsAt(json, junctor).entries()) {
      visit(nested, `${path}.${junctor}[${i}]`, inner, errors);
    }
  }
  for (const [key, definition] of schemasIn(json, "definitions")) {
    visit(definition, `${path}.definitions[${key}]`, inner, errors);
  }
  const items = getOwn(json, "items");
  if (isJsonObject(items)) visit(items, `${path}.items`, inner, errors);
  if (isJsonArray(items)) {
    for (const [i, item] of items.filter(isJsonObject).entries()) {
      visit(item, `${path}.items[${i}]`, inner, errors);
    }
  }
  extensionErrors(json, path, errors);
}

function visitAdditional(
  json: JsonObject,
  path: string,
  context: Context,
  errors: FieldError[],
): void {
  const additional = getOwn(json, "additionalProperties");
  if (additional === undefined || additional === null) return;
  const at = `${path}.additionalProperties`;
  if (schemasIn(json, "properties").length > 0 && additional !== true) {
    errors.push(forbiddenField(at, "additionalProperties and properties are mutual exclusive"));
  }
  if (!isJsonObject(additional)) return;
  const reason = "inside additionalProperties applying to object metadata";
  const noDefaults = context.isMetadata ? reason : context.noDefaults;
  visit(additional, at, { ...context, isRoot: false, noDefaults }, errors);
}

function visitProperties(
  json: JsonObject,
  path: string,
  context: Context,
  errors: FieldError[],
): void {
  const isResource = context.isRoot || isTrueAt(json, "x-kubernetes-embedded-resource");
  for (const [key, property] of schemasIn(json, "properties")) {
    const isMetadata = isResource && isResourceField(key);
    const inner: Context = {
      isRoot: false,
      isMetadata: context.isMetadata || isMetadata,
      noDefaults: isMetadata && context.isRoot ? `in top-level ${key}` : context.noDefaults,
    };
    visit(property, `${path}.properties[${key}]`, inner, errors);
  }
}

const types = ["array", "boolean", "integer", "number", "object", "string"];

/** Keywords of other dialects, and whether an empty value is as good as none. */
const unsupported: readonly (readonly [string, boolean])[] = [
  ["id", true],
  ["additionalItems", false],
  ["patternProperties", true],
  ["definitions", true],
  ["dependencies", false],
  ["$ref", false],
];

function keywordErrors(
  json: JsonObject,
  path: string,
  context: Context,
  errors: FieldError[],
): void {
  const type = textAt(json, "type");
  if (type !== "" && !types.includes(type)) {
    errors.push(unsupportedField(`${path}.type`, type, types));
  }
  if (isSet(json, "default") && context.noDefaults !== undefined) {
    errors.push(forbiddenField(`${path}.default`, `must not be set ${context.noDefaults}`));
  }
  for (const [key, mayBeEmpty] of unsupported) {
    const value = getOwn(json, key) ?? null;
    if (value === null || (mayBeEmpty && isEmpty(value))) continue;
    errors.push(forbiddenField(`${path}.${key}`, `${key} is not supported`));
  }
  if (type === "null") {
    const detail = "type cannot be set to null, use nullable as an alternative";
    errors.push(forbiddenField(`${path}.type`, detail));
  }
  if (isJsonArray(getOwn(json, "items"))) {
    errors.push(forbiddenField(`${path}.items`, "items must be a schema object and not an array"));
  }
  if (context.isMetadata && isTrueAt(json, "x-kubernetes-embedded-resource")) {
    const at = `${path}.x-kubernetes-embedded-resource`;
    errors.push(forbiddenField(at, "must not be used inside of resource meta"));
  }
}

function isEmpty(value: unknown): boolean {
  return value === "" || (isJsonObject(value) && Object.keys(value).length === 0);
}

function extensionErrors(json: JsonObject, path: string, errors: FieldError[]): void {
  const type = textAt(json, "type");
  const preserve = "x-kubernetes-preserve-unknown-fields";
  if (getOwn(json, preserve) === false) {
    errors.push(invalidField(`${path}.${preserve}`, false, "must be true or undefined"));
  }
  if (isSet(json, "x-kubernetes-map-type")) {
    const mapType = textAt(json, "x-kubernetes-map-type");
    if (type !== "object") {
      const detail = "must be object if x-kubernetes-map-type is specified";
      const at = `${path}.type`;
      errors.push(type === "" ? requiredField(at, detail) : invalidField(at, type, detail));
    }
    if (mapType !== "atomic" && mapType !== "granular") {
      const at = `${path}.x-kubernetes-map-type`;
      errors.push(unsupportedField(at, mapType, ["atomic", "granular"]));
    }
  }
  appendAll(errors, listTypeErrors(json, path));
  appendAll(errors, ruleFormErrors(json, path));
}

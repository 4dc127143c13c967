// The rules of a structural schema: every field has a type outside of allOf, anyOf, oneOf and
// not, so that pruning and defaulting need not evaluate them, and the metadata of a resource
// stays what it is. Messages and paths are those of Kubernetes.

import { forbiddenField, invalidField, requiredField } from "../field-error.ts";
import type { FieldError } from "../field-error.ts";
import { fieldErrorText } from "../field-error-text.ts";
import { equalJson, getOwn, isJsonArray } from "../json.ts";
import type { Json, JsonObject } from "../json.ts";
import { isTrueAt, objectsAt, presentObjectAt, textAt } from "../json-read.ts";
import { regexProblem } from "../regex.ts";
import { isSet, schemasIn } from "./schema-json.ts";

/** Sorted by their text, as Kubernetes sorts them. */
export function structureErrors(json: JsonObject, path: string): readonly FieldError[] {
  const errors: FieldError[] = [];
  checkInvariants(json, "root", path, errors);
  checkCompleteness(json, json, path, path, errors);
  const texts = new Map(errors.map((error) => [error, fieldErrorText(error)]));
  return errors.sort((a, b) => ((texts.get(a) ?? "") < (texts.get(b) ?? "") ? -1 : 1));
}

type Level = "root" | "item" | "field";

const emptyTypeReasons: Readonly<Record<Level, string>> = {
  root: "must not be empty at the root",
  item: "must not be empty for specified array items",
  field: "must not be empty for specified object fields",
};

function checkInvariants(json: JsonObject, level: Level, path: string, errors: FieldError[]): void {
  const type = textAt(json, "type");
  const items = presentObjectAt(json, "items");
  if (type === "array" && items === undefined) {
    errors.push(requiredField(`${path}.items`, "must be specified"));
  }
  if (items !== undefined) checkInvariants(items, "item", `${path}.items`, errors);
  for (const [key, property] of schemasIn(json, "properties")) {
    checkInvariants(property, "field", `${path}.properties[${key}]`, errors);
  }
  if (isSet(json, "additionalProperties")) {
    const at = `${path}.additionalProperties`;
    if (level === "root") errors.push(forbiddenField(at, "must not be used at the root"));
    const additional = presentObjectAt(json, "additionalProperties");
    if (additional !== undefined) checkInvariants(additional, "field", at, errors);
  }
  checkExtensions(json, path, errors);
  const skipsAllOf = isIntOrStringPair(objectsAt(objectsAt(json, "allOf")[0], "anyOf"));
  const skipsAnyOf = isIntOrStringPair(objectsAt(json, "anyOf"));
  checkValueValidation(json, { skipsAnyOf, skipsAllOf }, path, errors);
  checkType(json, level, path, errors);
  checkResourceFields(json, level, path, errors);
}

function checkExtensions(json: JsonObject, path: string, errors: FieldError[]): void {
  if (!isTrueAt(json, "x-kubernetes-int-or-string")) return;
  for (const key of ["x-kubernetes-preserve-unknown-fields", "x-kubernetes-embedded-resource"]) {
    if (!isTrueAt(json, key)) continue;
    const detail = "must be false if x-kubernetes-int-or-string is true";
    errors.push(invalidField(`${path}.${key}`, true, detail));
  }
}

function checkType(json: JsonObject, level: Level, path: string, errors: FieldError[]): void {
  const type = textAt(json, "type");
  const isEmbedded = isTrueAt(json, "x-kubernetes-embedded-resource");
  const mayBeEmpty =
    isTrueAt(json, "x-kubernetes-int-or-string") ||
    isTrueAt(json, "x-kubernetes-preserve-unknown-fields");
  const at = `${path}.type`;
  if (isEmbedded && type !== "object") {
    const detail = "must be object if x-kubernetes-embedded-resource is true";
    errors.push(type === "" ? requiredField(at, detail) : invalidField(at, type, detail));
  } else if (type === "" && !mayBeEmpty) errors.push(requiredField(at, emptyTypeReasons[level]));
  if (isEmbedded && isSet(json, "additionalProperties")) {
    const detail = "must not be used if x-kubernetes-embedded-resource is set";
    errors.push(forbiddenField(`${path}.additionalProperties`, detail));
  }
  if (level === "root" && type !== "" && type !== "object") {
    errors.push(invalidField(at, type, "must be object at the root"));
  }
}

/** The type and metadata of resources may be restricted a little, at most. */
function checkResourceFields(
  json: JsonObject,
  level: Level,
  path: string,
  errors: FieldError[],
): void {
  const isEmbedded = isTrueAt(json, "x-kubernetes-embedded-resource");
  const isResource = level === "root" || isEmbedded;
  const properties = new Map(schemasIn(json, "properties"));
  for (const key of ["kind", "apiVersion"]) {
    const property = properties.get(key);
    if (!isResource || property === undefined || textAt(property, "type") === "string") continue;
    const at = `${path}.properties[${key}].type`;
    errors.push(invalidField(at, textAt(property, "type"), "must be string"));
  }
  const metadata = properties.get("metadata");
  if (metadata !== undefined) {
    const at = `${path}.properties[metadata]`;
    if (isResource && textAt(metadata, "type") !== "object") {
      errors.push(invalidField(`${at}.type`, textAt(metadata, "type"), "must be object"));
    }
    if (level === "root" && !restrictsNamesOnly(metadata)) {
      const detail =
        "must not specify anything other than name and generateName, " +
        "but metadata is implicitly specified";
      errors.push(forbiddenField(at, detail));
    }
  }
  const keepsUnknown = isTrueAt(json, "x-kubernetes-preserve-unknown-fields");
  if (isEmbedded && !keepsUnknown && properties.size === 0) {
    const detail =
      "must not be empty if x-kubernetes-embedded-resource is true " +
      "without x-kubernetes-preserve-unknown-fields";
    errors.push(requiredField(`${path}.properties`, detail));
  }
}

function restrictsNamesOnly(metadata: JsonObject): boolean {
  const names = schemasIn(metadata, "properties").map(([name]) => name);
  if (!names.every((name) => name === "name" || name === "generateName")) return false;
  const ignored = new Set(["type", "default", "properties", "externalDocs", "example"]);
  return Object.keys(metadata).every((key) => ignored.has(key) || isZero(metadata[key]));
}

/** What Go takes for not given. */
function isZero(value: Json | undefined): boolean {
  if (value === undefined || value === null || value === false || value === "") return true;
  return isJsonArray(value) && value.length === 0;
}

interface Skips {
  /** The two types of int-or-string may stand in anyOf. */
  readonly skipsAnyOf: boolean;
  /** The same in the first of allOf. */
  readonly skipsAllOf: boolean;
}

const noSkips: Skips = { skipsAnyOf: false, skipsAllOf: false };

function checkValueValidation(
  json: JsonObject,
  { skipsAnyOf, skipsAllOf }: Skips,
  path: string,
  errors: FieldError[],
): void {
  for (const junctor of ["anyOf", "allOf", "oneOf"]) {
    if (junctor === "anyOf" && skipsAnyOf) continue;
    for (const [i, nested] of objectsAt(json, junctor).entries()) {
      const isSkipped = junctor === "allOf" && skipsAllOf && i === 0;
      const skips = isSkipped ? { ...noSkips, skipsAnyOf: true } : noSkips;
      checkNested(nested, skips, `${path}.${junctor}[${i}]`, errors);
    }
  }
  const not = presentObjectAt(json, "not");
  if (not !== undefined) checkNested(not, noSkips, `${path}.not`, errors);
  const pattern = textAt(json, "pattern");
  const problem = pattern === "" ? undefined : regexProblem(pattern);
  if (problem === undefined) return;
  const detail = `must be a valid regular expression, but isn't: ${problem}`;
  errors.push(invalidField(`${path}.pattern`, pattern, detail));
}

const mustBeEmpty = "must be empty to be structural";
const mustBeUndefined = "must be undefined to be structural";
const mustBeFalse = "must be false to be structural";

/** What may not stand in a junctor, because it is more than the validation of a value. */
const forbiddenNested: ReadonlyMap<string, string> = new Map([
  ["type", mustBeEmpty],
  ["additionalProperties", mustBeUndefined],
  ["default", mustBeUndefined],
  ["title", mustBeEmpty],
  ["description", mustBeEmpty],
  ["nullable", mustBeFalse],
  ["x-kubernetes-preserve-unknown-fields", mustBeFalse],
  ["x-kubernetes-embedded-resource", mustBeFalse],
  ["x-kubernetes-int-or-string", mustBeFalse],
  ["x-kubernetes-list-map-keys", mustBeEmpty],
  ["x-kubernetes-list-type", mustBeUndefined],
  ["x-kubernetes-map-type", mustBeUndefined],
  ["x-kubernetes-validations", mustBeEmpty],
]);

function checkNested(json: JsonObject, skips: Skips, path: string, errors: FieldError[]): void {
  checkValueValidation(json, skips, path, errors);
  const items = presentObjectAt(json, "items");
  if (items !== undefined) checkNested(items, noSkips, `${path}.items`, errors);
  for (const [key, property] of schemasIn(json, "properties")) {
    checkNested(property, noSkips, `${path}.properties[${key}]`, errors);
  }
  for (const [key, detail] of forbiddenNested) {
    const value = getOwn(json, key);
    const isNothing = key === "additionalProperties" && value === false;
    const isGiven = detail === mustBeUndefined ? isSet(json, key) : !isZero(value);
    if (isGiven && !isNothing) errors.push(forbiddenField(`${path}.${key}`, detail));
  }
  if (schemasIn(json, "properties").some(([key]) => key === "metadata")) {
    const detail = "must not be specified in a nested context";
    errors.push(forbiddenField(`${path}.properties[metadata]`, detail));
  }
}

/** Whatever is validated in a junctor is also specified outside of it. */
function checkCompleteness(
  nested: JsonObject,
  outside: JsonObject | undefined,
  outsidePath: string,
  path: string,
  errors: FieldError[],
): void {
  const junctors: (readonly [JsonObject, string])[] = [];
  const not = presentObjectAt(nested, "not");
  if (not !== undefined) junctors.push([not, `${path}.not`]);
  for (const junctor of ["allOf", "anyOf", "oneOf"]) {
    for (const [i, inner] of objectsAt(nested, junctor).entries()) {
      junctors.push([inner, `${path}.${junctor}[${i}]`]);
    }
  }
  for (const [inner, at] of junctors) checkSpecified(inner, outside, outsidePath, at, errors);
}

function checkSpecified(
  nested: JsonObject,
  outside: JsonObject | undefined,
  outsidePath: string,
  path: string,
  errors: FieldError[],
): void {
  if (outside === undefined) {
    errors.push(requiredField(outsidePath, `because it is defined in ${path}`));
    return;
  }
  checkCompleteness(nested, outside, outsidePath, path, errors);
  const items = presentObjectAt(nested, "items");
  if (items !== undefined) {
    const outer = presentObjectAt(outside, "items");
    checkSpecified(items, outer, `${outsidePath}.items`, `${path}.items`, errors);
  }
  const specified = new Map(schemasIn(outside, "properties"));
  for (const [key, property] of schemasIn(nested, "properties")) {
    const [at, outer] = [`${path}.properties[${key}]`, `${outsidePath}.properties[${key}]`];
    checkSpecified(property, specified.get(key), outer, at, errors);
  }
}

function isIntOrStringPair(schemas: readonly JsonObject[]): boolean {
  return equalJson(schemas, [{ type: "integer" }, { type: "string" }]);
}

// What webhooks and policies have in common: rules about operations and resources, conditions, and
// how they are defaulted. An expression that does not compile is refused with the compiler's words.

import { appendAll } from "../../kernel/append.ts";
import {
  duplicateField,
  invalidField,
  requiredField,
  tooManyItems,
  unsupportedField,
} from "../../kernel/field-error.ts";
import type { FieldError } from "../../kernel/field-error.ts";
import { boolType } from "../../kernel/cel/types.ts";
import type { CelType } from "../../kernel/cel/types.ts";
import type { Json, JsonObject } from "../../kernel/json.ts";
import { listAt, textAt, textsAt, valueAt } from "../../kernel/json-read.ts";
import { labelKeyProblems } from "../../kernel/labels.ts";
import { admissionExpression } from "../admission/expression/expression.ts";
import type { VariableChoice } from "../admission/expression/variables.ts";
import { withDefaults } from "./parts.ts";
import { invalidEach } from "./syntax-checks.ts";

export const failurePolicies = ["Fail", "Ignore"];
export const matchPolicies = ["Equivalent", "Exact"];
const operations = ["*", "CONNECT", "CREATE", "DELETE", "UPDATE"];
const scopes = ["*", "Cluster", "Namespaced"];
const maxConditions = 64;

/** A rule applies in every scope unless it says otherwise. */
export function ruleWithScope(rule: JsonObject): JsonObject {
  return withDefaults(rule, { scope: "*" });
}

/** What both webhooks and policies match when they leave it open. */
export const matchDefaults: JsonObject = {
  matchPolicy: "Equivalent",
  namespaceSelector: {},
  objectSelector: {},
};

/** The value of a field must be one of a few words; absent is fine. */
export function wordErrors(
  object: Json,
  key: string,
  words: readonly string[],
  field: string,
): readonly FieldError[] {
  const value = valueAt(object, key);
  if (value === undefined || (typeof value === "string" && words.includes(value))) return [];
  return [unsupportedField(`${field}.${key}`, value, words)];
}

export function ruleErrors(rule: Json, field: string): readonly FieldError[] {
  const errors: FieldError[] = [];
  const wanted = textsAt(rule, "operations");
  if (wanted.length === 0) errors.push(requiredField(`${field}.operations`));
  appendAll(errors, alone(rule, "operations", "operations", field));
  for (const [index, operation] of wanted.entries()) {
    if (operations.includes(operation)) continue;
    errors.push(unsupportedField(`${field}.operations[${index}]`, operation, operations));
  }
  for (const [key, what] of [
    ["apiGroups", "API groups"],
    ["apiVersions", "API versions"],
  ] as const) {
    if (textsAt(rule, key).length === 0) errors.push(requiredField(`${field}.${key}`));
    appendAll(errors, alone(rule, key, what, field));
  }
  for (const [index, version] of textsAt(rule, "apiVersions").entries()) {
    if (version === "") errors.push(requiredField(`${field}.apiVersions[${index}]`));
  }
  appendAll(errors, resourceErrors(textsAt(rule, "resources"), `${field}.resources`));
  appendAll(errors, wordErrors(rule, "scope", scopes, field));
  return errors;
}

/** Conditions have names of their own and say something. */
export function conditionErrors(
  object: JsonObject,
  field: string,
  hasParams = false,
): readonly FieldError[] {
  const conditions = listAt(object, "matchConditions");
  const at = `${field}.matchConditions`;
  const errors: FieldError[] = [];
  if (conditions.length > maxConditions) {
    errors.push(tooManyItems(at, conditions.length, maxConditions));
  }
  const names = new Set<string>();
  for (const [index, condition] of conditions.entries()) {
    const name = textAt(condition, "name");
    const expression = textAt(condition, "expression");
    const place = `${at}[${index}].expression`;
    if (expression.trim() === "") errors.push(requiredField(place));
    else appendAll(errors, compileErrors(expression, place, { hasParams, hasAuthorizer: true }));
    if (name === "") errors.push(requiredField(`${at}[${index}].name`));
    else appendAll(errors, invalidEach(`${at}[${index}].name`, name, labelKeyProblems(name)));
    if (name !== "" && names.has(name)) errors.push(duplicateField(`${at}[${index}].name`, name));
    names.add(name);
  }
  return errors;
}

/** What keeps an expression from being one of the wanted types; booleans when none is named. */
export function compileErrors(
  expression: string,
  field: string,
  choice: VariableChoice,
  types: readonly CelType[] = [boolType],
): readonly FieldError[] {
  const { problem } = admissionExpression(expression, choice, types);
  return problem === "" ? [] : [invalidField(field, expression, problem)];
}

/** "*" among several is a contradiction. */
function alone(rule: Json, key: string, what: string, field: string): readonly FieldError[] {
  const values = textsAt(rule, key);
  if (values.length < 2 || !values.includes("*")) return [];
  const detail = `if '*' is present, must not specify other ${what}`;
  return [invalidField(`${field}.${key}`, [...values], detail)];
}

function resourceErrors(resources: readonly string[], field: string): readonly FieldError[] {
  if (resources.length === 0) return [requiredField(field)];
  const errors: FieldError[] = [];
  const wholeResources = new Set<string>();
  const wholeSubresources = new Set<string>();
  let hasPlain = false;
  for (const [index, text] of resources.entries()) {
    if (text === "") {
      errors.push(requiredField(`${field}[${index}]`));
      continue;
    }
    const slash = text.indexOf("/");
    if (slash < 0) {
      // Only the last one counts, as it always has.
      hasPlain = text !== "*";
      continue;
    }
    const [resource, sub] = [text.slice(0, slash), text.slice(slash + 1)];
    const covering = [
      ...(wholeResources.has(resource) ? [`${resource}/*`] : []),
      ...(wholeSubresources.has(sub) ? [`*/${sub}`] : []),
    ];
    for (const cover of covering) {
      const detail = `if '${cover}' is present, must not specify ${text}`;
      errors.push(invalidField(`${field}[${index}]`, text, detail));
    }
    if (sub === "*") wholeResources.add(resource);
    if (resource === "*") wholeSubresources.add(sub);
  }
  if (resources.length > 1 && resources.includes("*/*")) {
    const detail = "if '*/*' is present, must not specify other resources";
    errors.push(invalidField(field, [...resources], detail));
  }
  if (resources.includes("*") && hasPlain) {
    const detail = "if '*' is present, must not specify other resources without subresources";
    errors.push(invalidField(field, [...resources], detail));
  }
  return errors;
}

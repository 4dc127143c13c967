// The form of x-kubernetes-validations, apart from the CEL in them: that there is a rule, that
// messages fit on a line, and that a path leads to a field of the schema.

import { invalidField, requiredField, unsupportedField } from "../field-error.ts";
import type { FieldError } from "../field-error.ts";
import type { JsonObject } from "../json.ts";
import { objectsAt, presentObjectAt, textAt } from "../json-read.ts";
import { foreignKeyword } from "./foreign-keyword.ts";
import { isSet, schemasIn } from "./schema-json.ts";

const reasons = [
  "FieldValueDuplicate",
  "FieldValueForbidden",
  "FieldValueInvalid",
  "FieldValueRequired",
];

export function ruleFormErrors(json: JsonObject, path: string): readonly FieldError[] {
  const errors: FieldError[] = [];
  for (const [i, rule] of objectsAt(json, "x-kubernetes-validations").entries()) {
    const at = `${path}.x-kubernetes-validations[${i}]`;
    messageErrors(rule, at, errors);
    const expression = textAt(rule, "messageExpression");
    if (expression !== "" && expression.trim() === "") {
      const detail = "messageExpression must be non-empty if specified";
      errors.push(requiredField(`${at}.messageExpression`, detail));
    }
    const reason = textAt(rule, "reason");
    if (isSet(rule, "reason") && !reasons.includes(reason)) {
      errors.push(unsupportedField(`${at}.reason`, reason, reasons));
    }
    pathErrors(json, textAt(rule, "fieldPath"), `${at}.fieldPath`, errors);
  }
  return errors;
}

/** Whether ".spec.replicas" or ".labels['a']" leads to a field of the schema. */
function isFieldPath(json: JsonObject, fieldPath: string): boolean {
  const tokens = fieldPath.match(/'(?:[^'\\]|\\.)*'|[.[\]]|[^.[\]]+/gs) ?? [];
  let at: JsonObject | undefined = json;
  for (let i = 0; i < tokens.length; i++) {
    const opener = tokens[i];
    const token = tokens[i + 1];
    if (at === undefined || token === undefined) return false;
    if (opener === "[") {
      if (!/^'.*'$/s.test(token) || tokens[i + 2] !== "]") return false;
      at = childOf(at, token.slice(1, -1).replaceAll(/\\(['\\])/g, "$1"));
      i += 2;
    } else if (opener === ".") {
      at = childOf(at, token);
      i += 1;
    } else return false;
  }
  return at !== undefined;
}

function childOf(json: JsonObject, key: string): JsonObject | undefined {
  const properties = schemasIn(json, "properties");
  if (properties.length > 0) return new Map(properties).get(key);
  const isMap = isSet(json, "additionalProperties");
  return presentObjectAt(json, "additionalProperties") ?? (isMap ? {} : undefined);
}

function messageErrors(rule: JsonObject, at: string, errors: FieldError[]): void {
  const [expression, message] = [textAt(rule, "rule").trim(), textAt(rule, "message")];
  const bare = message.trim();
  if (expression === "") errors.push(requiredField(`${at}.rule`, "rule is not specified"));
  else if (message !== "" && bare === "") {
    const detail = "message must be non-empty if specified";
    errors.push(invalidField(`${at}.message`, message, detail));
  } else if (hasLineBreak(bare)) {
    const detail = "message must not contain line breaks";
    errors.push(invalidField(`${at}.message`, message, detail));
  } else if (hasLineBreak(expression) && bare === "") {
    const detail = "message must be specified if rule contains line breaks";
    errors.push(requiredField(`${at}.message`, detail));
  }
}

function pathErrors(json: JsonObject, path: string, at: string, errors: FieldError[]): void {
  if (path === "") return;
  if (path.trim() === "") {
    errors.push(invalidField(at, path, "fieldPath must be non-empty if specified"));
  }
  if (hasLineBreak(path)) {
    errors.push(invalidField(at, path, "fieldPath must not contain line breaks"));
  }
  // A schema with keywords that are refused anyway has no paths to compare with.
  if (foreignKeyword(json) === undefined && !isFieldPath(json, path)) {
    errors.push(invalidField(at, path, "fieldPath must be a valid path"));
  }
}

function hasLineBreak(text: string): boolean {
  return /[\n\r]/.test(text);
}

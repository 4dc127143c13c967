// Checks of small texts and selectors that several kinds share, in the words of the Kubernetes
// API. Functions called "problems" return sentences, functions called "errors" know the field.

import { invalidField, forbiddenField, requiredField } from "../../kernel/field-error.ts";
import type { FieldError } from "../../kernel/field-error.ts";
import { equalJson } from "../../kernel/json.ts";
import type { Json, JsonObject } from "../../kernel/json.ts";
import { listAt, objectAt, textAt, textsAt, valueAt } from "../../kernel/json-read.ts";
import { labelKeyProblems, labelValueProblems } from "../../kernel/labels.ts";
import { limits } from "../../kernel/limits.ts";
import { subdomainProblems, tooManyCharacters } from "../../kernel/names.ts";

const configKey = /^[-._a-zA-Z0-9]+$/;
const dns1035 = /^[a-z]([-a-z0-9]*[a-z0-9])?$/;

/** Keys of configuration and of secrets, which may become the names of files. */
export function configKeyProblems(key: string): readonly string[] {
  const problems: string[] = [];
  if (key.length > limits.maxNameLength) problems.push(tooManyCharacters(limits.maxNameLength));
  if (!configKey.test(key)) {
    problems.push(
      "a valid config key must consist of alphanumeric characters, '-', '_' or '.' " +
        "(e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', " +
        "regex used for validation is '[-._a-zA-Z0-9]+')",
    );
  }
  if (key === "." || key === "..") problems.push(`must not be '${key}'`);
  else if (key.startsWith("..")) problems.push("must not start with '..'");
  return problems;
}

export function dns1035LabelProblems(label: string): readonly string[] {
  const problems: string[] = [];
  if (label.length > limits.maxDnsLabelLength) {
    problems.push(tooManyCharacters(limits.maxDnsLabelLength));
  }
  if (!dns1035.test(label)) {
    problems.push(
      "a DNS-1035 label must consist of lower case alphanumeric characters or '-', " +
        "start with an alphabetic character, and end with an alphanumeric character " +
        "(e.g. 'my-name',  or 'abc-123', " +
        "regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')",
    );
  }
  return problems;
}

/** Names that only have to fit into one segment of a path. */
export function pathSegmentProblems(name: string): readonly string[] {
  if (name === "." || name === "..") return [`may not be '${name}'`];
  return ["/", "%"]
    .filter((part) => name.includes(part))
    .map((part) => `may not contain '${part}'`);
}

/** A domain of three parts or more, as check.example.com. */
export function qualifiedDomainErrors(field: string, name: string): readonly FieldError[] {
  if (name === "") return [requiredField(field)];
  const problems = subdomainProblems(name);
  if (problems.length > 0) return [invalidField(field, name, problems.join(","))];
  if (name.split(".").length >= 3) return [];
  const detail = "should be a domain with at least three segments separated by dots";
  return [invalidField(field, name, detail)];
}

/** One error for each problem of a value. */
export function invalidEach(
  field: string,
  value: Json,
  problems: readonly string[],
): readonly FieldError[] {
  return problems.map((problem) => invalidField(field, value, problem));
}

/** The field must be what it was. */
export function immutableErrors(
  field: string,
  value: Json | undefined,
  old: Json | undefined,
): readonly FieldError[] {
  if (equalJson(value ?? null, old ?? null)) return [];
  return [invalidField(field, value, "field is immutable")];
}

/** A selector with matchLabels and matchExpressions. */
export function labelSelectorErrors(selector: JsonObject, field: string): readonly FieldError[] {
  const labels = Object.entries(objectAt(selector, "matchLabels")).flatMap(([key, value]) => {
    const at = `${field}.matchLabels`;
    const text = textAt(value);
    return invalidEach(at, key, labelKeyProblems(key)).concat(
      invalidEach(at, text, labelValueProblems(text)),
    );
  });
  const expressions = listAt(selector, "matchExpressions").flatMap((expression, index) =>
    requirementErrors(expression, `${field}.matchExpressions[${index}]`),
  );
  return [...labels, ...expressions];
}

function requirementErrors(requirement: Json, field: string): readonly FieldError[] {
  const operator = textAt(requirement, "operator");
  const values = textsAt(requirement, "values");
  const key = textAt(requirement, "key");
  const errors: FieldError[] = [];
  if (operator === "In" || operator === "NotIn") {
    if (values.length === 0) {
      const detail = "must be specified when `operator` is 'In' or 'NotIn'";
      errors.push(requiredField(`${field}.values`, detail));
    }
  } else if (operator === "Exists" || operator === "DoesNotExist") {
    if (values.length > 0) {
      const detail = "may not be specified when `operator` is 'Exists' or 'DoesNotExist'";
      errors.push(forbiddenField(`${field}.values`, detail));
    }
  } else {
    errors.push(invalidField(`${field}.operator`, operator, "not a valid selector operator"));
  }
  errors.push(...invalidEach(`${field}.key`, key, labelKeyProblems(key)));
  for (const [index, value] of values.entries()) {
    errors.push(...invalidEach(`${field}.values[${index}]`, value, labelValueProblems(value)));
  }
  return errors;
}

/** The selector in a field of an object, when there is one. */
export function selectorFieldErrors(
  object: JsonObject,
  key: string,
  field: string,
): readonly FieldError[] {
  if (valueAt(object, key) === undefined) return [];
  return labelSelectorErrors(objectAt(object, key), `${field}.${key}`);
}

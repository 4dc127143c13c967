// The selectors that an access review may carry. Roles cannot grant by selector, so one never
// changes an answer here; but what is wrong with it is said, since clients rely on being told. A
// part that cannot be understood is ignored, which only widens the question.

import { isSetpointError } from "../../kernel/errors.ts";
import { forbiddenField, invalidField, requiredField } from "../../kernel/field-error.ts";
import type { FieldError } from "../../kernel/field-error.ts";
import type { JsonObject } from "../../kernel/json.ts";
import { objectsAt, textAt, textsAt } from "../../kernel/json-read.ts";
import { labelKeyProblems, labelValueProblems } from "../../kernel/labels.ts";
import { parseSelector } from "../../kernel/selector.ts";

type SelectorKind = "field" | "label";

/** What makes the review invalid. */
export function selectorErrors(
  selector: JsonObject | undefined,
  kind: SelectorKind,
): readonly FieldError[] {
  if (selector === undefined) return [];
  const path = `spec.resourceAttributes.${kind}Selector`;
  const raw = textAt(selector, "rawSelector");
  const requirements = objectsAt(selector, "requirements");
  const errors: FieldError[] = [];
  if (raw !== "" && requirements.length > 0) {
    const detail = "may not specified at the same time as requirements";
    errors.push(invalidField(`${path}.rawSelector`, raw, detail));
  }
  if (raw === "" && requirements.length === 0) {
    const detail = `when ${path} is specified, requirements or rawSelector is required`;
    errors.push(requiredField(`${path}.requirements`, detail));
  }
  const ofRequirements = requirements.flatMap((requirement, index) =>
    requirementErrors(requirement, kind, `${path}.requirements[${index}]`),
  );
  return [...errors, ...ofRequirements];
}

/** What was ignored although the review is valid, as the status tells it. */
export function selectorProblems(
  selector: JsonObject | undefined,
  kind: SelectorKind,
): readonly string[] {
  if (selector === undefined) return [];
  const requirements = objectsAt(selector, "requirements");
  const understood = requirements.filter((requirement) => isUnderstood(requirement, kind)).length;
  const isRawBad = requirements.length === 0 && !canParse(textAt(selector, "rawSelector"), kind);
  if (!isRawBad && understood === requirements.length) return [];
  const how = understood > 0 ? "partially ignored" : "ignored";
  return [`spec.resourceAttributes.${kind}Selector ${how} due to parse error`];
}

function requirementErrors(
  requirement: JsonObject,
  kind: SelectorKind,
  path: string,
): readonly FieldError[] {
  const key = textAt(requirement, "key");
  const values = textsAt(requirement, "values");
  const ofValues = valueCountErrors(textAt(requirement, "operator"), values, path);
  if (kind === "field") {
    return key === "" ? [requiredField(`${path}.key`, "must be specified"), ...ofValues] : ofValues;
  }
  return [
    ...ofValues,
    ...labelKeyProblems(key).map((problem) => invalidField(`${path}.key`, key, problem)),
    ...values.flatMap((value, index) =>
      labelValueProblems(value).map((problem) =>
        invalidField(`${path}.values[${index}]`, value, problem),
      ),
    ),
  ];
}

function valueCountErrors(
  operator: string,
  values: readonly string[],
  path: string,
): readonly FieldError[] {
  const needsValues = operator === "In" || operator === "NotIn";
  if (needsValues && values.length === 0) {
    const detail = "must be specified when `operator` is 'In' or 'NotIn'";
    return [requiredField(`${path}.values`, detail)];
  }
  const needsNone = operator === "Exists" || operator === "DoesNotExist";
  if (!needsNone || values.length === 0) return [];
  const detail = "may not be specified when `operator` is 'Exists' or 'DoesNotExist'";
  return [forbiddenField(`${path}.values`, detail)];
}

/** Field selectors know equality with one value only. */
function isUnderstood(requirement: JsonObject, kind: SelectorKind): boolean {
  const operator = textAt(requirement, "operator");
  const isEquality = operator === "In" || operator === "NotIn";
  if (kind === "field") return isEquality && textsAt(requirement, "values").length === 1;
  return isEquality || operator === "Exists" || operator === "DoesNotExist";
}

function canParse(raw: string, kind: SelectorKind): boolean {
  if (kind === "field") return raw.split(",").every((term) => term === "" || term.includes("="));
  try {
    parseSelector(raw);
    return true;
  } catch (error) {
    if (isSetpointError(error)) return false;
    throw error;
  }
}

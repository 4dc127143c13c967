// Policies in CEL and their bindings: their shape, and whether their expressions compile. Each
// variable of a policy is known to the expressions after it.

import { appendAll } from "../../kernel/append.ts";
import {
  duplicateField,
  forbiddenField,
  invalidField,
  requiredField,
  unsupportedField,
} from "../../kernel/field-error.ts";
import type { FieldError } from "../../kernel/field-error.ts";
import type { CelType } from "../../kernel/cel/types.ts";
import type { Json, JsonObject } from "../../kernel/json.ts";
import { listAt, objectAt, textAt, textsAt, valueAt } from "../../kernel/json-read.ts";
import { limits } from "../../kernel/limits.ts";
import { isHeavySchema, schemaSize } from "../../kernel/schema/schema-size.ts";
import { labelKeyProblems } from "../../kernel/labels.ts";
import { subdomainProblems } from "../../kernel/names.ts";
import type { Resource } from "../../kernel/resource.ts";
import { admissionExpression } from "../admission/expression/expression.ts";
import type { VariableChoice } from "../admission/expression/variables.ts";
import { annotationTypes, messageTypes, variableType } from "../admission/policy/policy.ts";
import {
  compileErrors,
  conditionErrors,
  failurePolicies,
  matchDefaults,
  matchPolicies,
  ruleErrors,
  ruleWithScope,
  wordErrors,
} from "./admission-checks.ts";
import { withDefaults, withEach, withInner, withOld } from "./parts.ts";
import type { KindRules } from "./rules.ts";
import {
  dns1035LabelProblems,
  invalidEach,
  labelSelectorErrors,
  pathSegmentProblems,
  selectorFieldErrors,
} from "./syntax-checks.ts";

const reasons = ["Forbidden", "Invalid", "RequestEntityTooLarge"];
const actions = ["Audit", "Deny", "Warn"];
const maxAuditAnnotations = 20;
const maxAuditExpressionBytes = 5 * 1_024;
const identifier = /^[_a-zA-Z][_a-zA-Z0-9]*$/;
const reservedWords = new Set(
  (
    "true false null in as break const continue else for function if import let loop package " +
    "namespace return var void while"
  ).split(" "),
);

export const policyRules: KindRules = {
  needsRevision: true,
  defaulting: (policy) =>
    withInner(policy, "spec", (spec) =>
      withInner(withDefaults(spec, { failurePolicy: "Fail" }), "matchConstraints", matchDefaulted),
    ),
  prepareForUpdate: (policy, old, subresource) =>
    subresource === "status" ? withOld(policy, old, "spec") : policy,
  isHeavy: (policy) => isHeavySchema(valueAt(policy, "spec")),
  validateCreate: policyErrors,
  validateUpdate: (policy, _old, subresource) =>
    subresource === "status" ? [] : policyErrors(policy),
};

export const policyBindingRules: KindRules = {
  needsRevision: true,
  defaulting: (binding) =>
    withInner(binding, "spec", (spec) => withInner(spec, "matchResources", matchDefaulted)),
  validateCreate: bindingErrors,
  validateUpdate: bindingErrors,
};

function matchDefaulted(match: JsonObject): JsonObject {
  const whole = withDefaults(match, matchDefaults);
  const scoped = withEach(whole, "resourceRules", ruleWithScope);
  return withEach(scoped, "excludeResourceRules", ruleWithScope);
}

function policyErrors(policy: Resource): readonly FieldError[] {
  const { ruleChars } = schemaSize(valueAt(policy, "spec"));
  if (ruleChars > limits.maxRuleChars) {
    const most = `must have at most ${limits.maxRuleChars} characters`;
    return [forbiddenField("spec", `${most} in all expressions together`)];
  }
  const spec = objectAt(policy, "spec");
  const constraints = objectAt(spec, "matchConstraints");
  const hasConstraints = valueAt(spec, "matchConstraints") !== undefined;
  const hasRules = listAt(constraints, "resourceRules").length > 0;
  const rules = "spec.matchConstraints.resourceRules";
  const compiling: Compiling = {
    hasParams: valueAt(spec, "paramKind") !== undefined,
    types: listAt(spec, "variables").length > 0 ? new Map() : undefined,
  };
  return [
    ...wordErrors(spec, "failurePolicy", failurePolicies, "spec"),
    ...paramKindErrors(spec),
    ...(hasConstraints
      ? matchErrors(constraints, "spec.matchConstraints")
      : [requiredField("spec.matchConstraints")]),
    ...(hasConstraints && !hasRules ? [requiredField(rules)] : []),
    ...conditionErrors(spec, "spec", compiling.hasParams),
    ...listAt(spec, "variables").flatMap((one, i) =>
      variableErrors(one, `spec.variables[${i}]`, compiling),
    ),
    ...contentErrors(policy, spec, compiling),
  ];
}

/** What expressions may use: parameters, and the variables that stand before them. */
interface Compiling {
  readonly hasParams: boolean;
  readonly types: Map<string, CelType> | undefined;
}

function choiceOf({ hasParams, types }: Compiling, hasAuthorizer = true): VariableChoice {
  return { hasParams, hasAuthorizer, ...(types === undefined ? {} : { own: new Map(types) }) };
}

function contentErrors(
  policy: Resource,
  spec: JsonObject,
  compiling: Compiling,
): readonly FieldError[] {
  const validations = listAt(spec, "validations");
  const annotations = listAt(spec, "auditAnnotations");
  if (validations.length === 0 && annotations.length === 0) {
    const detail = "validations or auditAnnotations must contain at least one item";
    return ["validations", "auditAnnotations"].map((key) => requiredField(`spec.${key}`, detail));
  }
  const errors = validations.flatMap((one, i) =>
    validationErrors(one, `spec.validations[${i}]`, compiling),
  );
  if (annotations.length > maxAuditAnnotations) {
    const detail = `must not have more than ${maxAuditAnnotations} auditAnnotations`;
    errors.push(invalidField("spec.auditAnnotations", annotations, detail));
  }
  const keys = new Set<string>();
  for (const [index, annotation] of annotations.entries()) {
    const field = `spec.auditAnnotations[${index}]`;
    const key = textAt(annotation, "key");
    appendAll(errors, annotationErrors(policy, annotation, field, compiling));
    if (keys.has(key)) errors.push(duplicateField(`${field}.key`, key));
    keys.add(key);
  }
  return errors;
}

function paramKindErrors(spec: JsonObject): readonly FieldError[] {
  if (valueAt(spec, "paramKind") === undefined) return [];
  const apiVersion = textAt(spec, "paramKind", "apiVersion");
  const kind = textAt(spec, "paramKind", "kind");
  const at = "spec.paramKind";
  const errors = [...apiVersionErrors(apiVersion, `${at}.apiVersion`)];
  const problems = dns1035LabelProblems(kind.toLowerCase());
  if (kind === "") errors.push(requiredField(`${at}.kind`));
  else if (problems.length > 0) {
    const detail = `may have mixed case, but should otherwise match: ${problems.join(",")}`;
    errors.push(invalidField(`${at}.kind`, kind, detail));
  }
  return errors;
}

function apiVersionErrors(apiVersion: string, field: string): readonly FieldError[] {
  if (apiVersion === "") return [requiredField(field)];
  const parts = apiVersion.split("/");
  if (parts.length > 2) {
    const detail = `unexpected GroupVersion string: ${apiVersion}`;
    return [invalidField(field, apiVersion, detail)];
  }
  const [version = "", group = ""] = parts.toReversed();
  const errors: FieldError[] = [];
  const groupProblems = group === "" ? [] : subdomainProblems(group);
  if (groupProblems.length > 0) errors.push(invalidField(field, group, groupProblems.join(",")));
  if (version === "") errors.push(invalidField(field, apiVersion, "version must be specified"));
  else {
    const problems = dns1035LabelProblems(version);
    if (problems.length > 0) errors.push(invalidField(field, version, problems.join(",")));
  }
  return errors;
}

function matchErrors(match: JsonObject, field: string): readonly FieldError[] {
  return [
    ...wordErrors(match, "matchPolicy", matchPolicies, field),
    ...selectorFieldErrors(match, "namespaceSelector", field),
    ...selectorFieldErrors(match, "objectSelector", field),
    ...["resourceRules", "excludeResourceRules"].flatMap((key) =>
      listAt(match, key).flatMap((rule, index) =>
        namedRuleErrors(rule, `${field}.${key}[${index}]`),
      ),
    ),
  ];
}

function namedRuleErrors(rule: Json, field: string): readonly FieldError[] {
  const seen = new Set<string>();
  const names = textsAt(rule, "resourceNames").flatMap((name, index) => {
    const at = `${field}.resourceNames[${index}]`;
    const again = seen.has(name) ? [duplicateField(at, name)] : [];
    seen.add(name);
    return [invalidEach(at, name, pathSegmentProblems(name)), again].flat();
  });
  return [...names, ...ruleErrors(rule, field)];
}

function variableErrors(
  variable: Json,
  field: string,
  compiling: Compiling,
): readonly FieldError[] {
  const name = textAt(variable, "name");
  const errors: FieldError[] = [];
  if (name.trim() === "") errors.push(requiredField(`${field}.name`, "name is not specified"));
  else if (!identifier.test(name) || reservedWords.has(name)) {
    errors.push(invalidField(`${field}.name`, name, "must be a valid CEL identifier"));
  }
  const expression = textAt(variable, "expression");
  const missing = expressionErrors(variable, "expression", field);
  if (missing.length > 0) return [...errors, ...missing];
  const { program, problem } = admissionExpression(expression, choiceOf(compiling));
  compiling.types?.set(name, variableType(program?.type));
  if (program !== undefined) return errors;
  return [...errors, invalidField(`${field}.expression`, expression, problem)];
}

function validationErrors(
  validation: Json,
  field: string,
  compiling: Compiling,
): readonly FieldError[] {
  const expression = textAt(validation, "expression");
  const errors = [...expressionErrors(validation, "expression", field)];
  if (errors.length === 0) {
    appendAll(errors, compileErrors(expression, `${field}.expression`, choiceOf(compiling)));
  }
  for (const key of ["messageExpression", "message"]) {
    const text = textAt(validation, key);
    if (text !== "" && text.trim() === "") {
      errors.push(invalidField(`${field}.${key}`, text, "must be non-empty if specified"));
    } else if (key === "messageExpression" && text !== "") {
      const choice = choiceOf(compiling, false);
      appendAll(errors, compileErrors(text, `${field}.${key}`, choice, messageTypes));
    } else if (key === "message" && /[\n\r]/.test(text.trim())) {
      errors.push(invalidField(`${field}.${key}`, text, "must not contain line breaks"));
    }
  }
  return [...errors, ...wordErrors(validation, "reason", reasons, field)];
}

function annotationErrors(
  policy: Resource,
  annotation: Json,
  field: string,
  compiling: Compiling,
): readonly FieldError[] {
  const key = textAt(annotation, "key");
  const full = `${policy.metadata.name}/${key}`;
  const expression = textAt(annotation, "valueExpression").trim();
  const errors = [...invalidEach(`${field}.key`, full, labelKeyProblems(full))];
  appendAll(errors, expressionErrors(annotation, "valueExpression", field));
  if (Buffer.byteLength(expression) > maxAuditExpressionBytes) {
    const detail = `must not exceed ${maxAuditExpressionBytes} bytes in length`;
    errors.push(requiredField(`${field}.valueExpression`, detail));
  } else if (expression !== "") {
    const { problem } = admissionExpression(expression, choiceOf(compiling), annotationTypes);
    const shown = textAt(annotation, "valueExpression");
    if (problem !== "") errors.push(invalidField(`${field}.valueExpression`, shown, problem));
  }
  return errors;
}

function expressionErrors(part: Json, key: string, field: string): readonly FieldError[] {
  if (textAt(part, key).trim() !== "") return [];
  return [requiredField(`${field}.${key}`, `${key} is not specified`)];
}

function bindingErrors(binding: Resource): readonly FieldError[] {
  const spec = objectAt(binding, "spec");
  const policy = textAt(spec, "policyName");
  return [
    ...(policy === ""
      ? [requiredField("spec.policyName")]
      : invalidEach("spec.policyName", policy, subdomainProblems(policy))),
    ...(valueAt(spec, "paramRef") === undefined ? [] : paramRefErrors(objectAt(spec, "paramRef"))),
    ...matchErrors(objectAt(spec, "matchResources"), "spec.matchResources"),
    ...actionErrors(textsAt(spec, "validationActions")),
  ];
}

function paramRefErrors(ref: JsonObject): readonly FieldError[] {
  const field = "spec.paramRef";
  const name = textAt(ref, "name");
  const hasSelector = valueAt(ref, "selector") !== undefined;
  const both = "name and selector are mutually exclusive";
  const errors: FieldError[] = [];
  if (name !== "") {
    appendAll(errors, invalidEach(`${field}.name`, name, pathSegmentProblems(name)));
    if (hasSelector) errors.push(forbiddenField(`${field}.name`, both));
  }
  if (hasSelector) {
    appendAll(errors, labelSelectorErrors(objectAt(ref, "selector"), `${field}.selector`));
    if (name !== "") errors.push(forbiddenField(`${field}.selector`, both));
  }
  if (name === "" && !hasSelector) {
    errors.push(requiredField(field, "one of name or selector must be specified"));
  }
  const action = textAt(ref, "parameterNotFoundAction");
  const at = `${field}.parameterNotFoundAction`;
  if (action === "") errors.push(requiredField(at));
  else if (action !== "Deny" && action !== "Allow") {
    errors.push(unsupportedField(at, action, ["Deny", "Allow"]));
  }
  return errors;
}

function actionErrors(wanted: readonly string[]): readonly FieldError[] {
  const field = "spec.validationActions";
  const errors: FieldError[] = [];
  const seen = new Set<string>();
  for (const [index, action] of wanted.entries()) {
    const at = `${field}[${index}]`;
    if (!actions.includes(action)) errors.push(unsupportedField(at, action, actions));
    if (seen.has(action)) errors.push(duplicateField(at, action));
    seen.add(action);
  }
  if (seen.has("Deny") && seen.has("Warn")) {
    const detail =
      "must not contain both Deny and Warn (repeating the same validation failure information " +
      "in the API response and headers serves no purpose)";
    errors.push(invalidField(field, [...wanted], detail));
  }
  if (seen.size === 0) {
    errors.push(requiredField(field, "at least one validation action is required"));
  }
  return errors;
}

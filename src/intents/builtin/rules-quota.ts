// Quotas: which resources can be limited, by which amounts, and within which scopes. The status is
// the server's own.

import { invalidField, requiredField, tooManyItems } from "../../kernel/field-error.ts";
import type { FieldError } from "../../kernel/field-error.ts";
import type { Json, JsonObject } from "../../kernel/json.ts";
import { listAt, objectAt, textAt, textsAt, valueAt } from "../../kernel/json-read.ts";
import { limits } from "../../kernel/limits.ts";
import { withField, withInner } from "./parts.ts";
import {
  isQuotaName,
  normalQuantities,
  quantitiesOf,
  quantityErrors,
  quotaNameErrors,
} from "./resource-names.ts";
import type { KindRules } from "./rules.ts";

const podResources = new Set([
  "pods",
  "cpu",
  "memory",
  "limits.cpu",
  "limits.memory",
  "requests.cpu",
  "requests.memory",
]);
const volumeResources = new Set(["persistentvolumeclaims", "requests.storage"]);
const simpleScopes = ["Terminating", "NotTerminating", "BestEffort", "NotBestEffort"];
const knownScopes = new Set([
  ...simpleScopes,
  "PriorityClass",
  "VolumeAttributesClass",
  "CrossNamespacePodAffinity",
]);

export const resourceQuotaRules: KindRules = {
  statusWritesMetadata: true,
  defaulting(quota) {
    const spec = withInner(quota, "spec", (inner) => normalMaps(inner, ["hard"]));
    return withInner(spec, "status", (inner) => normalMaps(inner, ["hard", "used"]));
  },
  prepareForCreate: (quota) => withField(quota, "status"),
  prepareForUpdate: (quota, old, subresource) =>
    subresource === "status"
      ? withField(quota, "spec", objectAt(old, "spec"))
      : withField(quota, "status", valueAt(old, "status")),
  validateCreate: (quota) => specErrors(objectAt(quota, "spec"), limits.maxQuotaResources),
  validateUpdate(quota, old, subresource = "") {
    if (subresource === "status") {
      const status = objectAt(quota, "status");
      return [...amountErrors(status, "hard", "status"), ...amountErrors(status, "used", "status")];
    }
    const scopes = textsAt(quota, "spec", "scopes");
    const before = textsAt(old, "spec", "scopes");
    const isSame = new Set(scopes).symmetricDifference(new Set(before)).size === 0;
    const changed = invalidField(
      "spec.scopes",
      valueAt(quota, "spec", "scopes"),
      "field is immutable",
    );
    // One that was stored by an earlier release can still be changed.
    const stored = Object.keys(objectAt(old, "spec", "hard")).length;
    const most = Math.max(limits.maxQuotaResources, stored);
    return [...specErrors(objectAt(quota, "spec"), most), ...(isSame ? [] : [changed])];
  },
  warnings: (quota, old) =>
    old === undefined ? requestWarnings(objectAt(quota, "spec", "hard")) : [],
};

function normalMaps(part: JsonObject, names: readonly string[]): JsonObject {
  let result = part;
  for (const name of names) {
    result = withInner(result, name, (map) => normalQuantities("ResourceQuota", map));
  }
  return result;
}

function specErrors(spec: JsonObject, mostResources: number): readonly FieldError[] {
  const count = Object.keys(objectAt(spec, "hard")).length;
  if (count > mostResources) return [tooManyItems("spec.hard", count, mostResources)];
  return [...amountErrors(spec, "hard", "spec"), ...scopeErrors(spec), ...selectorErrors(spec)];
}

function amountErrors(part: JsonObject, key: string, path: string): readonly FieldError[] {
  return [...quantitiesOf(objectAt(part, key))].flatMap(([name, quantity]) => {
    const field = `${path}.${key}[${name}]`;
    return quotaNameErrors(name, field).concat(quantityErrors(name, quantity, field));
  });
}

function scopeErrors(spec: JsonObject): readonly FieldError[] {
  const scopes = textsAt(spec, "scopes");
  const value: Json = [...scopes];
  const errors: FieldError[] = [];
  for (const scope of scopes) {
    if (!knownScopes.has(scope)) {
      errors.push(invalidField("spec.scopes", value, "unsupported scope"));
    }
    errors.push(...misplacedScope(spec, scope, "spec.scopes", value));
  }
  return [...errors, ...conflicts(scopes, "spec.scopes", value)];
}

function selectorErrors(spec: JsonObject): readonly FieldError[] {
  if (valueAt(spec, "scopeSelector") === undefined) return [];
  const field = "spec.scopeSelector.matchExpressions";
  const expressions = listAt(spec, "scopeSelector", "matchExpressions");
  const shown = { MatchExpressions: expressions.map(shownExpression) };
  const errors: FieldError[] = [];
  for (const expression of expressions) {
    const scope = textAt(expression, "scopeName");
    if (!knownScopes.has(scope)) {
      errors.push(invalidField(`${field}.scopeName`, scope, "unsupported scope"));
    }
    errors.push(...misplacedScope(spec, scope, field, shown), ...operatorErrors(expression, field));
  }
  const scopes = expressions.map((expression) => textAt(expression, "scopeName"));
  return [...errors, ...conflicts(scopes, field, valueAt(spec, "scopes") ?? null)];
}

/** Spelled as the server's own type is, since clients see it so. */
function shownExpression(expression: Json): JsonObject {
  return {
    ScopeName: textAt(expression, "scopeName"),
    Operator: textAt(expression, "operator"),
    Values: valueAt(expression, "values") ?? null,
  };
}

function operatorErrors(expression: Json, field: string): readonly FieldError[] {
  const operator = textAt(expression, "operator");
  const scope = textAt(expression, "scopeName");
  const values = textsAt(expression, "values");
  const errors: FieldError[] = [];
  const needsExists = [...simpleScopes, "CrossNamespacePodAffinity"].includes(scope);
  if (needsExists && operator !== "Exists") {
    const detail =
      "must be 'Exists' when scope is any of ResourceQuotaScopeTerminating, " +
      "ResourceQuotaScopeNotTerminating, ResourceQuotaScopeBestEffort, " +
      "ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity";
    errors.push(invalidField(`${field}.operator`, operator, detail));
  }
  if (operator === "In" || operator === "NotIn") {
    if (values.length === 0) {
      const detail =
        "must be at least one value when `operator` is 'In' or 'NotIn' for scope selector";
      errors.push(requiredField(`${field}.values`, detail));
    }
  } else if (operator === "Exists" || operator === "DoesNotExist") {
    if (values.length > 0) {
      const detail =
        "must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector";
      errors.push(invalidField(`${field}.values`, [...values], detail));
    }
  } else {
    errors.push(invalidField(`${field}.operator`, operator, "not a valid selector operator"));
  }
  return errors;
}

/** One error for each limited resource that has nothing to do with the scope. */
function misplacedScope(
  spec: JsonObject,
  scope: string,
  field: string,
  value: Json,
): readonly FieldError[] {
  const names = Object.keys(objectAt(spec, "hard")).sort();
  return names
    .filter((name) => isQuotaName(name) && !fits(scope, name))
    .map(() => invalidField(field, value, "unsupported scope applied to resource"));
}

function fits(scope: string, resource: string): boolean {
  if (scope === "BestEffort") return resource === "pods";
  if (scope === "VolumeAttributesClass") return volumeResources.has(resource);
  return !knownScopes.has(scope) || podResources.has(resource);
}

function conflicts(scopes: readonly string[], field: string, value: Json): readonly FieldError[] {
  const pairs = [
    ["BestEffort", "NotBestEffort"],
    ["Terminating", "NotTerminating"],
  ];
  return pairs
    .filter((pair) => pair.every((scope) => scopes.includes(scope)))
    .map(() => invalidField(field, value, "conflicting scopes"));
}

function requestWarnings(hard: JsonObject): readonly string[] {
  const amounts = quantitiesOf(hard);
  return ["cpu", "memory", "storage", "ephemeral-storage"].flatMap((name) => {
    const isPlain = name === "cpu" || name === "memory";
    const requestName = amounts.has(`requests.${name}`) || !isPlain ? `requests.${name}` : name;
    const request = amounts.get(requestName);
    const limit = amounts.get(`limits.${name}`);
    if (request === undefined || limit === undefined || request.nanos <= limit.nanos) return [];
    const over = `${requestName} (${request.text}) should be less than`;
    return [`ResourceQuota ${over} limits.${name} (${limit.text})`];
  });
}

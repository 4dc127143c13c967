// What creating, updating, patching and applying have in common once the wanted document is known:
// unknown fields, defaults, policies, validation. The order is that of Kubernetes: default, mutate,
// default again where a policy changed something, validate, then the validating policies.

import type { FieldError } from "../../kernel/field-error.ts";
import { invalidField } from "../../kernel/field-error.ts";
import { checkFieldRules } from "../../kernel/field-rules.ts";
import type { FieldViolation } from "../../kernel/field-rules.ts";
import type { Json } from "../../kernel/json.ts";
import type { Resource } from "../../kernel/resource.ts";
import { invalid } from "../refusals.ts";
import type { Target } from "../request.ts";
import { metadataErrors, metadataUpdateErrors, resourceNameProblems } from "./metadata-check.ts";

/** Refuses a document that breaks a rule of its kind, with all its errors at once. */
export function checkDocument(target: Target, resource: Resource, old: Resource | undefined): void {
  const { served, version, subresource } = target;
  const { rules, kind } = served;
  const isNamespaced = kind.scope === "Namespaced";
  const nameProblems = rules?.nameProblems ?? resourceNameProblems;
  const errors: FieldError[] = [];
  errors.push(...metadataErrors(resource.metadata, { isNamespaced, nameProblems }));
  if (old !== undefined) errors.push(...metadataUpdateErrors(resource.metadata, old.metadata));
  errors.push(...version.type.validate(resource, old));
  if (rules !== undefined) {
    const own =
      old === undefined
        ? rules.validateCreate?.(resource)
        : rules.validateUpdate?.(resource, old, subresource);
    if (own !== undefined) errors.push(...own);
  }
  if (kind.fieldRules.length > 0) errors.push(...ruleErrors(target, resource, old));
  if (errors.length === 0) return;
  throw invalid(kind, resource.metadata.name ?? target.name, errors);
}

/** A server writes status, so read-only fields there are only closed to the main endpoint. */
function ruleErrors(
  { served, subresource }: Target,
  resource: Resource,
  old: Resource | undefined,
): readonly FieldError[] {
  const violations = checkFieldRules(served.kind, old, resource);
  return violations
    .filter(({ path }) => !(subresource === "status" && path.startsWith("/status")))
    .map(ruleError);
}

function ruleError(violation: FieldViolation): FieldError {
  const { path, rule } = violation;
  const field = path.slice(1).replaceAll("/", ".");
  const was = "old" in violation ? text(violation.old) : "absent";
  const now = "new" in violation ? text(violation.new) : "absent";
  const why = rule === "read-only" ? "is read-only" : "cannot be changed after creation";
  return invalidField(field, violation.new, `the field ${why}: old ${was}, new ${now}`);
}

function text(value: Json | undefined): string {
  return value === undefined ? "absent" : JSON.stringify(value);
}

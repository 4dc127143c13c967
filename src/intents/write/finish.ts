// What creating, updating, patching and applying have in common once the wanted document is known:
// unknown fields, defaults, policies, validation. The order is that of Kubernetes: default, mutate,
// default again where a policy changed something, validate, then the validating policies.

import { appendAll } from "../../kernel/append.ts";
import type { FieldError } from "../../kernel/field-error.ts";
import { invalidField } from "../../kernel/field-error.ts";
import { checkFieldRules } from "../../kernel/field-rules.ts";
import type { FieldViolation } from "../../kernel/field-rules.ts";
import { hiddenText, withoutHiddenValues } from "../../kernel/hidden-values.ts";
import type { Json } from "../../kernel/json.ts";
import { parsePointer } from "../../kernel/pointer.ts";
import type { Resource } from "../../kernel/resource.ts";
import { invalid } from "../refusals.ts";
import type { Admission } from "../admission/admission.ts";
import type { Target } from "../request.ts";
import type { ServedKind } from "../kinds/served-kind.ts";
import {
  coreFinalizerErrors,
  metadataErrors,
  metadataUpdateErrors,
  pathSegmentProblems,
  resourceNameProblems,
} from "./metadata-check.ts";

/** Refuses a document that breaks a rule of its kind, with all its errors at once. */
export function checkDocument(
  admission: Pick<Admission, "mayChange">,
  target: Target,
  resource: Resource,
  old: Resource | undefined,
): void {
  const { served } = target;
  const errors =
    old === undefined ? createErrors(target, resource) : updateErrors(target, resource, old);
  if (served.kind.fieldRules.length > 0) {
    appendAll(errors, ruleErrors(admission, target, resource, old));
  }
  if (errors.length === 0) return;
  // Two kinds that show the same documents have their errors in the name of the stored one.
  const shown = withoutHiddenValues(served.kind, errors);
  throw invalid(served.storedKind, resource.metadata.name ?? target.name, shown);
}

function createErrors({ served, version }: Target, resource: Resource): FieldError[] {
  const { rules, kind } = served;
  const isNamespaced = kind.scope === "Namespaced";
  const nameProblems = rules?.nameProblems ?? resourceNameProblems;
  const errors = [...metadataErrors(resource.metadata, { isNamespaced, nameProblems })];
  if (hasCoreFinalizers(served)) appendAll(errors, coreFinalizerErrors(resource.metadata));
  appendAll(errors, version.type.validate(resource, { old: undefined, subresource: "", errors }));
  appendAll(errors, rules?.validateCreate?.(resource) ?? []);
  return errors;
}

/**
 * Kubernetes looks at metadata once for all kinds and again for each kind, so that the causes of
 * a refused update name the same problem several times; the message names it once.
 */
function updateErrors(
  { served, version, subresource }: Target,
  resource: Resource,
  old: Resource,
): FieldError[] {
  const { rules, kind } = served;
  const { metadata } = resource;
  const isNamespaced = kind.scope === "Namespaced";
  const common = metadataErrors(metadata, { isNamespaced, nameProblems: pathSegmentProblems });
  const changes = metadataUpdateErrors(metadata, old.metadata);
  const own: FieldError[] = [...changes];
  if (hasCoreFinalizers(served)) appendAll(own, coreFinalizerErrors(metadata));
  appendAll(own, version.type.validate(resource, { old, subresource, errors: own }));
  appendAll(own, rules?.validateUpdate?.(resource, old, subresource) ?? []);
  return [...common, ...changes, ...own];
}

/** The groups whose metadata has only the rules that all kinds share. */
const plainGroups = new Set(["admissionregistration.k8s.io", "apiextensions.k8s.io"]);

function hasCoreFinalizers({ kind }: ServedKind): boolean {
  return kind.origin === "built-in" && !plainGroups.has(kind.group);
}

/** A server writes status, so read-only fields there are only closed to the main endpoint. */
function ruleErrors(
  admission: Pick<Admission, "mayChange">,
  target: Target,
  object: Resource,
  old: Resource | undefined,
): readonly FieldError[] {
  const { served, subresource } = target;
  const violations = checkFieldRules(served.kind, old, object);
  const isExempt = ({ rule, path }: FieldViolation): boolean =>
    rule === "create-only" &&
    old !== undefined &&
    admission.mayChange({ target, object, old, path });
  return violations
    .filter(({ path }) => !(subresource === "status" && path.startsWith("/status")))
    .filter((violation) => !isExempt(violation))
    .map(ruleError);
}

function ruleError(violation: FieldViolation): FieldError {
  const { path, rule } = violation;
  const field = parsePointer(path).join(".");
  const why = rule === "read-only" ? "is read-only" : "cannot be changed after creation";
  const detailWith = (show: (value: Json | undefined) => string): string => {
    const was = "old" in violation ? show(violation.old) : "absent";
    const now = "new" in violation ? show(violation.new) : "absent";
    return `the field ${why}: old ${was}, new ${now}`;
  };
  return {
    ...invalidField(field, violation.new, detailWith(text)),
    ...(rule === "read-only" ? {} : { kind: "immutable" }),
    computed: { of: field, plain: detailWith(() => hiddenText) },
  };
}

function text(value: Json | undefined): string {
  return value === undefined ? "absent" : JSON.stringify(value);
}

// Leases: durations and counts that make sense. Everything else about a lease is between those
// who compete for it; how a server would choose the holder is not offered, as by default elsewhere.

import { invalidField } from "../../kernel/field-error.ts";
import type { FieldError } from "../../kernel/field-error.ts";
import { numberAt } from "../../kernel/json-read.ts";
import type { Resource } from "../../kernel/resource.ts";
import { withField, withInner } from "./parts.ts";
import type { KindRules } from "./rules.ts";

export const leaseRules: KindRules = {
  allowsCreateOnUpdate: true,
  needsRevision: true,
  prepareForCreate: withoutChoice,
  prepareForUpdate: withoutChoice,
  validateCreate: leaseErrors,
  validateUpdate: leaseErrors,
};

function withoutChoice(lease: Resource): Resource {
  return withInner(lease, "spec", (spec) =>
    withField(withField(spec, "strategy"), "preferredHolder"),
  );
}

function leaseErrors(lease: Resource): readonly FieldError[] {
  const duration = numberAt(lease, "spec", "leaseDurationSeconds");
  const transitions = numberAt(lease, "spec", "leaseTransitions");
  const errors: FieldError[] = [];
  if (duration !== undefined && duration <= 0) {
    errors.push(invalidField("spec.leaseDurationSeconds", duration, "must be greater than 0"));
  }
  if (transitions !== undefined && transitions < 0) {
    const detail = "must be greater than or equal to 0";
    errors.push(invalidField("spec.leaseTransitions", transitions, detail));
  }
  return errors;
}

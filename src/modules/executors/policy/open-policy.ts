// Admission of ExecutorPolicies: the checks that the schema cannot express.

import type { AdmissionPlugin } from "../../../intents/admission/admission.ts";
import { selectorFieldErrors } from "../../../intents/builtin/syntax-checks.ts";
import { invalid } from "../../../intents/refusals.ts";
import { cidrProblem } from "../../../kernel/allowed-places.ts";
import { invalidField } from "../../../kernel/field-error.ts";
import type { FieldError } from "../../../kernel/field-error.ts";
import { objectAt, textsAt } from "../../../kernel/json-read.ts";
import type { OpenPart } from "../part.ts";
import { policiesKind } from "./policy-kind.ts";

export const openPolicy: OpenPart = () => ({ admission: [policyGuard] });

const policyGuard: AdmissionPlugin = {
  name: "ExecutorPolicy",
  validate: ({ target, object }) => {
    if (object === undefined || target.served.id !== policiesKind) return;
    const allowed = objectAt(object, "spec", "allow", "namespaces");
    const errors = [
      ...selectorFieldErrors(allowed, "selector", "spec.allow.namespaces"),
      ...cidrErrors(textsAt(object, "spec", "http", "allowPrivate", "cidrs")),
    ];
    if (errors.length > 0) throw invalid(target.served.storedKind, target.name, errors);
  },
};

function cidrErrors(cidrs: readonly string[]): readonly FieldError[] {
  return cidrs.flatMap((cidr, index) => {
    const problem = cidrProblem(cidr);
    const field = `spec.http.allowPrivate.cidrs[${index}]`;
    return problem === undefined ? [] : [invalidField(field, cidr, problem)];
  });
}

// Admission of GitOpsPolicies: the checks that the schema cannot express.

import type { AdmissionPlugin } from "../../../intents/admission/admission.ts";
import { selectorFieldErrors } from "../../../intents/builtin/syntax-checks.ts";
import { invalid } from "../../../intents/refusals.ts";
import { cidrProblem } from "../../../kernel/allowed-places.ts";
import { invalidField } from "../../../kernel/field-error.ts";
import type { FieldError } from "../../../kernel/field-error.ts";
import { objectAt, textsAt } from "../../../kernel/json-read.ts";
import type { Resource } from "../../../kernel/resource.ts";
import { policiesKind } from "../names.ts";

export const policyGuard: AdmissionPlugin = {
  name: "GitOpsPolicy",
  validate: ({ target, object }) => {
    if (object === undefined || target.served.id !== policiesKind) return;
    const namespaces = objectAt(object, "spec", "namespaces");
    const errors = [
      ...selectorFieldErrors(namespaces, "selector", "spec.namespaces"),
      ...cidrErrors(textsAt(object, "spec", "repositories", "allowPrivate", "cidrs")),
      ...urlErrors(object, "repositories", "allow"),
      ...urlErrors(object, "repositories", "deny"),
      ...urlErrors(object, "destinations", "servers"),
    ];
    if (errors.length > 0) throw invalid(target.served.storedKind, target.name, errors);
  },
};

function cidrErrors(cidrs: readonly string[]): readonly FieldError[] {
  return cidrs.flatMap((cidr, index) => {
    const problem = cidrProblem(cidr);
    const field = `spec.repositories.allowPrivate.cidrs[${index}]`;
    return problem === undefined ? [] : [invalidField(field, cidr, problem)];
  });
}

/** A pattern without a protocol would match nothing. */
function urlErrors(object: Resource, ...path: readonly string[]): readonly FieldError[] {
  const detail = "must be *, or begin with a protocol such as https://, or be user@host:path";
  return textsAt(object, "spec", ...path).flatMap((pattern, index) =>
    pattern === "*" || /^(?:[a-z*]+:\/\/|[^@/:]+@[^/:]+:)/i.test(pattern)
      ? []
      : [invalidField(`spec.${path.join(".")}[${index}]`, pattern, detail)],
  );
}

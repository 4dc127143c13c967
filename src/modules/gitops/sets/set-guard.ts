/** Admission of GitOpsDeploymentSets: the checks that the schema cannot express. */
import type { AdmissionPlugin } from "../../../intents/admission/admission.ts";
import { accountUseProblem } from "../../../intents/auth/account-use.ts";
import type { AccountUse } from "../../../intents/auth/account-use.ts";
import { isServerItself } from "../../../intents/bootstrap.ts";
import { selectorFieldErrors } from "../../../intents/builtin/syntax-checks.ts";
import { forbidden, invalid } from "../../../intents/refusals.ts";
import { invalidField } from "../../../kernel/field-error.ts";
import type { FieldError } from "../../../kernel/field-error.ts";
import { equalJson } from "../../../kernel/json.ts";
import type { JsonObject } from "../../../kernel/json.ts";
import { objectAt, textAt } from "../../../kernel/json-read.ts";
import { compileTemplate } from "../../../kernel/template/template.ts";
import { defaultAccount, deploymentSetsKind } from "../names.ts";
import { variablesOf } from "./combinations.ts";

export function setGuard(use: AccountUse): AdmissionPlugin {
  return {
    name: "GitOpsDeploymentSet",
    validate: ({ target, object, old, operation, caller }) => {
      if (target.served.id !== deploymentSetsKind || object === undefined) return;
      if (operation === "DELETE" || target.subresource !== "") return;
      const spec = objectAt(object, "spec");
      if (old !== undefined && equalJson(objectAt(old, "spec"), spec)) return;
      const errors = specErrors(spec);
      if (errors.length > 0) throw invalid(target.served.storedKind, target.name, errors);
      // The deployments act with the rights of the account, and the server creates them.
      const name = textAt(spec, "template", "spec", "serviceAccountName");
      if (name === "" || name === defaultAccount || isServerItself(caller)) return;
      const account = { namespace: target.namespace, name };
      const problem = accountUseProblem(use, caller.user, account);
      if (problem === undefined) return;
      const why = `spec.template.spec.serviceAccountName: ${problem}`;
      throw forbidden(target.served.storedKind, target.name, why);
    },
  };
}

function specErrors(spec: JsonObject): readonly FieldError[] {
  const compiled = compileTemplate(objectAt(spec, "template"), variablesOf(spec), "spec.template");
  const account = textAt(spec, "template", "spec", "serviceAccountName");
  const field = "spec.template.spec.serviceAccountName";
  return [
    ...(compiled.kind === "failed" ? compiled.errors : []),
    ...(account.includes("${")
      ? [invalidField(field, account, "must be a name without expressions")]
      : []),
    ...selectorFieldErrors(
      objectAt(spec, "generate", "environments"),
      "selector",
      "spec.generate.environments",
    ),
  ];
}

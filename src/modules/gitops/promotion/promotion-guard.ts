/** Admission of promotions: one binding for each application and environment; valid checks. */
import type { AdmissionPlugin } from "../../../intents/admission/admission.ts";
import { invalid } from "../../../intents/refusals.ts";
import { compileExpression } from "../../../kernel/cel/environment.ts";
import { boolType, dynType, sameType } from "../../../kernel/cel/types.ts";
import { invalidField } from "../../../kernel/field-error.ts";
import type { FieldError } from "../../../kernel/field-error.ts";
import type { JsonObject } from "../../../kernel/json.ts";
import { objectAt, objectsAt, textAt } from "../../../kernel/json-read.ts";
import { bindingsKind, promotionEnvironmentsKind } from "../names.ts";

const scope = `${bindingsKind} application and environment`;

export const promotionGuard: AdmissionPlugin = {
  name: "GitOpsPromotion",
  validate: ({ target, object, operation }) => {
    if (target.served.id !== promotionEnvironmentsKind || object === undefined) return;
    if (operation === "DELETE" || target.subresource !== "") return;
    const errors = checkErrors(objectAt(object, "spec", "verification"));
    if (errors.length > 0) throw invalid(target.served.storedKind, target.name, errors);
  },
  names: ({ target, object, operation }) => {
    if (target.served.id !== bindingsKind || operation !== "CREATE") return undefined;
    const application = textAt(object?.spec, "application");
    const environment = textAt(object?.spec, "environment");
    return [{ scope, name: `${target.namespace}/${application}/${environment}` }];
  },
  refusal: ({ target, object }, fault) => {
    if (target.served.id !== bindingsKind || !("scope" in fault) || fault.scope !== scope) {
      return undefined;
    }
    const holder = fault.holder?.name ?? "another one";
    const environment = textAt(object?.spec, "environment");
    const detail =
      `the SnapshotEnvironmentBinding ${holder} is for this application and environment: ` +
      "change its spec.snapshot";
    return invalid(target.served.storedKind, target.name, [
      invalidField("spec.environment", environment, detail),
    ]);
  },
};

function checkErrors(verification: JsonObject): readonly FieldError[] {
  return objectsAt(verification, "checks").flatMap((check, index) => {
    const source = textAt(check, "expression");
    const field = `spec.verification.checks[${index}].expression`;
    const compiled = compileExpression(source, { variables: { deployments: dynType } });
    if (compiled.kind === "failed") return [invalidField(field, source, compiled.message)];
    const { type } = compiled.program;
    if (sameType(type, boolType) || sameType(type, dynType)) return [];
    return [invalidField(field, source, "must evaluate to bool")];
  });
}

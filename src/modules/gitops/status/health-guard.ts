// Admission of health rules: the checks that the schema cannot express.

import type { AdmissionPlugin } from "../../../intents/admission/admission.ts";
import { invalid } from "../../../intents/refusals.ts";
import { equalJson } from "../../../kernel/json.ts";
import { objectsAt } from "../../../kernel/json-read.ts";
import { deploymentsKind, healthRulesKind } from "../names.ts";
import { healthRuleErrors } from "./health-rule.ts";

const fields = new Map([
  [healthRulesKind, "rules"],
  [deploymentsKind, "healthChecks"],
]);

export const healthGuard: AdmissionPlugin = {
  name: "HealthRule",
  validate: ({ target, object, old }) => {
    const field = fields.get(target.served.id);
    if (object === undefined || field === undefined) return;
    const rules = objectsAt(object, "spec", field);
    // A status or a label can be written whatever the rules are.
    if (equalJson([...rules], [...objectsAt(old, "spec", field)])) return;
    const errors = healthRuleErrors(rules, `spec.${field}`);
    if (errors.length > 0) throw invalid(target.served.storedKind, target.name, errors);
  },
};

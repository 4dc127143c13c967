/** Environments from versioned templates: decision 23. */
import type { BuiltInModule } from "../../contract/module.ts";
import type { PolicyRule } from "../../intents/auth/policy.ts";
import { environmentsCommands } from "./cli/commands.ts";
import { environmentsSection } from "./configuration.ts";
import { environmentTerms } from "./index-terms.ts";
import { environmentKind } from "./kinds/environment-kind.ts";
import { externalKind, groupKind } from "./kinds/group-kind.ts";
import { destroyedEnvironmentKind, operationKind } from "./kinds/operation-kind.ts";
import { planKind } from "./kinds/plan-kind.ts";
import { rolloutKind } from "./kinds/rollout-kind.ts";
import { resourceKind } from "./kinds/resource-kind.ts";
import { templateKind } from "./kinds/template-kind.ts";
import { environmentLimits } from "./limits.ts";
import { environmentMetrics } from "./metrics.ts";
import { environmentsGroup, templatesKind } from "./names.ts";

const readVerbs = ["get", "list", "watch"];
const writeVerbs = ["create", "update", "patch", "delete", "deletecollection"];
/** Only the module writes them. */
const recorded = ["environmentresources", "destroyedenvironments"];
const written = [
  "templates",
  "environments",
  "resourcegroups",
  "externalresources",
  "templaterollouts",
];

export const environments: BuiltInModule = {
  name: "environments",
  version: 4,
  kinds: [
    { kind: templateKind, isReconciled: false },
    // Its resources depend on the spec alone.
    { kind: environmentKind, isReconciled: true, isQuiet: true },
    { kind: resourceKind, isReconciled: true },
    { kind: groupKind, isReconciled: true },
    { kind: externalKind, isReconciled: true },
    { kind: planKind, isReconciled: true },
    { kind: operationKind, isReconciled: false },
    { kind: rolloutKind, isReconciled: true },
    { kind: destroyedEnvironmentKind, isReconciled: true },
  ],
  cachedKinds: [templatesKind],
  indexTerms: environmentTerms,
  metrics: environmentMetrics,
  limits: environmentLimits,
  configuration: environmentsSection,
  roles: [
    {
      role: "view",
      rules: [rule([...written, "plans", "operations"], readVerbs), rule(recorded, readVerbs)],
    },
    { role: "edit", rules: [rule([...written, "plans", "operations"], writeVerbs)] },
    { role: "admin", rules: [rule(["plans"], ["approve"])] },
  ],
  commands: environmentsCommands,
  open: async (ports) => (await import("./open.ts")).openEnvironments(ports),
};

function rule(resources: readonly string[], verbs: readonly string[]): PolicyRule {
  return { apiGroups: [environmentsGroup], resources, verbs };
}

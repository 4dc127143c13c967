/** Desired state from git, for many tenants: decision 27. */
import type { BuiltInModule } from "../../contract/module.ts";
import type { PolicyRule } from "../../intents/auth/policy.ts";
import { gitopsCommands } from "./cli/commands.ts";
import { gitopsSection } from "./configuration.ts";
import { gitopsErrors } from "./errors.ts";
import { gitopsKinds } from "./kinds/declared-kinds.ts";
import { seedForms } from "./kinds/seed-forms.ts";
import { gitopsLimits } from "./limits.ts";
import { gitopsMetrics } from "./metrics.ts";
import { deploymentSetsKind, gitopsGroup, healthRulesKind } from "./names.ts";
import { policiesKind, seedGroup } from "./names.ts";

const readVerbs = ["get", "list", "watch"];
const writeVerbs = ["create", "update", "patch", "delete", "deletecollection"];
const written = [
  "gitopsdeployments",
  "gitopsdeploymentsets",
  "promotionenvironments",
  "snapshots",
  "snapshotenvironmentbindings",
  "promotionruns",
  "deploymenttargets",
  "deploymenttargetclaims",
  "gitopsdeploymentsyncruns",
  "gitopsdeploymentrepositorycredentials",
  "gitopsdeploymentmanagedenvironments",
];
/** Only the module writes them. SyncBundles are for agents and administrators alone. */
const recorded = ["gitsources", "inventories", "operations"];

export const gitops: BuiltInModule = {
  name: "gitops",
  version: 4,
  kinds: gitopsKinds,
  forms: seedForms,
  cachedKinds: [policiesKind, healthRulesKind, deploymentSetsKind],
  errors: gitopsErrors,
  metrics: gitopsMetrics,
  limits: gitopsLimits,
  configuration: gitopsSection,
  roles: [
    { role: "view", rules: [rule([...written, ...recorded], readVerbs)] },
    { role: "edit", rules: [rule(written, writeVerbs)] },
  ],
  commands: gitopsCommands,
  agentWork: async () => (await import("./agent/run-bundles.ts")).runBundles,
  examine: async (given) => await (await import("./render/examine-tools.ts")).examineTools(given),
  open: async (ports) => (await import("./open.ts")).openGitOps(ports),
};

function rule(resources: readonly string[], verbs: readonly string[]): PolicyRule {
  return { apiGroups: [gitopsGroup, seedGroup], resources, verbs };
}

/** Desired state from git, for many tenants: decision 27. */
import type { BuiltInModule } from "../../contract/module.ts";
import type { PolicyRule } from "../../intents/auth/policy.ts";
import { gitopsCommands } from "./cli/commands.ts";
import { gitopsSection } from "./configuration.ts";
import { gitopsErrors } from "./errors.ts";
import { credentialKind } from "./kinds/credential-kind.ts";
import { deploymentKind } from "./kinds/deployment-kind.ts";
import { deploymentSetKind } from "./kinds/deployment-set-kind.ts";
import { targetClaimKind, targetClassKind, targetKind } from "./kinds/delivery-target-kinds.ts";
import { managedEnvironmentKind } from "./kinds/managed-environment-kind.ts";
import { healthRuleKind, policyKind } from "./kinds/policy-kinds.ts";
import {
  bindingKind,
  promotionEnvironmentKind,
  promotionRunKind,
  snapshotKind,
} from "./kinds/promotion-kinds.ts";
import { bundleKind, inventoryKind, operationKind, sourceKind } from "./kinds/record-kinds.ts";
import { syncRunKind } from "./kinds/sync-run-kind.ts";
import { gitopsLimits } from "./limits.ts";
import { gitopsMetrics } from "./metrics.ts";
import { deploymentSetsKind, gitopsGroup, healthRulesKind, policiesKind } from "./names.ts";

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
  version: 3,
  kinds: [
    { kind: deploymentKind, isReconciled: true },
    { kind: syncRunKind, isReconciled: true },
    { kind: deploymentSetKind, isReconciled: true },
    { kind: promotionEnvironmentKind, isReconciled: true },
    { kind: snapshotKind, isReconciled: false },
    { kind: bindingKind, isReconciled: true },
    { kind: promotionRunKind, isReconciled: true },
    { kind: targetClassKind, isReconciled: false },
    { kind: targetKind, isReconciled: true },
    { kind: targetClaimKind, isReconciled: true },
    { kind: credentialKind, isReconciled: true },
    { kind: managedEnvironmentKind, isReconciled: true },
    { kind: sourceKind, isReconciled: true },
    // It deletes its entries after its deployment.
    { kind: inventoryKind, isReconciled: true },
    { kind: bundleKind, isReconciled: false },
    { kind: operationKind, isReconciled: false },
    { kind: policyKind, isReconciled: false },
    { kind: healthRuleKind, isReconciled: false },
  ],
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
  return { apiGroups: [gitopsGroup], resources, verbs };
}

/** Offers a managed service from one declaration, an Offering: decision 22. */
import type { BuiltInModule } from "../../contract/module.ts";
import { fleetCommands } from "./agent/commands.ts";
import { fleetModuleErrors } from "./errors.ts";
import { fleetExtension } from "./hooks/fleet-extension.ts";
import { clusterKind } from "./kinds/cluster-kind.ts";
import { managedInstanceKind } from "./kinds/managed-instance-kind.ts";
import { offeringKind } from "./kinds/offering-kind.ts";
import { organisationKind } from "./kinds/organisation-kind.ts";
import { deletedInstanceKind, regionCapacityKind } from "./kinds/record-kinds.ts";
import { rolloutKind } from "./kinds/rollout-kind.ts";
import { probeKind } from "./kinds/probe-kind.ts";
import { scalingRuleKind } from "./kinds/scaling-rule-kind.ts";
import { fleetLimits } from "./limits.ts";
import { fleetMetrics } from "./metrics.ts";
import { clustersKind, offeringsKind, organisationsKind } from "./names.ts";
import { probesKind, rolloutsKind, scalingRulesKind } from "./names.ts";

export const fleet: BuiltInModule = {
  name: "fleet",
  version: 3,
  kinds: [
    // Instances refer to them and depend on the spec alone.
    { kind: offeringKind, isReconciled: true, isQuiet: true },
    { kind: organisationKind, isReconciled: true, isQuiet: true },
    { kind: clusterKind, isReconciled: true, isQuiet: true },
    { kind: managedInstanceKind, isReconciled: true },
    { kind: deletedInstanceKind, isReconciled: true },
    { kind: regionCapacityKind, isReconciled: false },
    { kind: rolloutKind, isReconciled: true },
    { kind: scalingRuleKind, isReconciled: true },
    { kind: probeKind, isReconciled: true },
  ],
  cachedKinds: [
    offeringsKind,
    organisationsKind,
    clustersKind,
    rolloutsKind,
    scalingRulesKind,
    probesKind,
  ],
  errors: fleetModuleErrors,
  metrics: fleetMetrics,
  limits: fleetLimits,
  commands: fleetCommands,
  extensionPoints: [fleetExtension],
  open: async (ports) => (await import("./open.ts")).openFleet(ports),
};

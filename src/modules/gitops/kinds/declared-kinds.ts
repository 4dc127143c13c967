// All kinds of the module, in the order in which a server installs them.

import type { DeclaredKind } from "../../../contract/module.ts";
import { credentialKind } from "./credential-kind.ts";
import { deploymentKind } from "./deployment-kind.ts";
import { deploymentSetKind } from "./deployment-set-kind.ts";
import { targetClaimKind, targetClassKind, targetKind } from "./delivery-target-kinds.ts";
import { managedEnvironmentKind } from "./managed-environment-kind.ts";
import { healthRuleKind, policyKind } from "./policy-kinds.ts";
import {
  bindingKind,
  promotionEnvironmentKind,
  promotionRunKind,
  snapshotKind,
} from "./promotion-kinds.ts";
import { bundleKind, inventoryKind, operationKind, sourceKind } from "./record-kinds.ts";
import { syncRunKind } from "./sync-run-kind.ts";

export const gitopsKinds: readonly DeclaredKind[] = [
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
];

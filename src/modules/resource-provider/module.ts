/** Offers kinds as resource types of the Azure Resource Manager: decision 7. */
import type { BuiltInModule } from "../../contract/module.ts";
import { appliedSpecsKind, operationsKind, subscriptionsKind } from "./arm-kinds.ts";
import { armSection } from "./configuration.ts";
import { faceKind, subscriptionKind } from "./face.ts";
import { faceExtension } from "./face-extension.ts";
import { faceDefinition } from "./faces/face-kind.ts";
import { providerLimits } from "./limits.ts";

export const resourceProvider: BuiltInModule = {
  name: "resource-provider",
  definitionOwner: "setpoint-arm",
  version: 2,
  kinds: [
    { kind: subscriptionsKind, isReconciled: true },
    { kind: faceDefinition, isReconciled: false },
    { kind: operationsKind, isReconciled: false },
    { kind: appliedSpecsKind, isReconciled: false },
  ],
  cachedKinds: [faceKind, subscriptionKind],
  limits: providerLimits,
  configuration: armSection,
  extensionPoints: [faceExtension],
  isStarted: ({ configuration, extensions }) =>
    configuration !== undefined || extensions.length > 0,
  open: async (ports) => {
    const { openProvider } = await import("./open.ts");
    return openProvider(ports);
  },
};

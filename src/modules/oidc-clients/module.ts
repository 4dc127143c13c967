/** Clients of OpenID providers as resources. See docs/reference/oidc-clients.md. */
import type { BuiltInModule } from "../../contract/module.ts";
import type { PolicyRule } from "../../intents/auth/policy.ts";
import { clientDefinition } from "./kinds/client-kind.ts";
import { oidcGroup } from "./kinds/group.ts";
import { issuerDefinition, issuersKind } from "./kinds/issuer-kind.ts";
import { oidcLimits } from "./limits.ts";
import { oidcMetrics } from "./metrics.ts";

export const oidcClients: BuiltInModule = {
  name: "oidc-clients",
  version: 1,
  kinds: [issuerDefinition, clientDefinition].map((kind) => ({ kind, isReconciled: true })),
  cachedKinds: [issuersKind],
  metrics: oidcMetrics,
  limits: oidcLimits,
  roles: [
    { role: "view", rules: [clientsRule("get", "list", "watch")] },
    {
      role: "edit",
      rules: [clientsRule("create", "update", "patch", "delete", "deletecollection")],
    },
  ],
  open: async (ports) => (await import("./open.ts")).openOidcClients(ports),
};

/** Issuers are for administrators: they contain names of Secrets. */
function clientsRule(...verbs: readonly string[]): PolicyRule {
  return { apiGroups: [oidcGroup], resources: ["oidcclients"], verbs };
}

/** Shows the health of a Vault server, and holds a VaultServer while VaultSecrets use it. */
import { releaseWhenUnused } from "../../../engine/external/shared-resource.ts";
import { done, failed } from "../../../engine/outcome.ts";
import type { Reconciler } from "../../../engine/reconciler.ts";
import type { Store } from "../../../store/port.ts";
import { executorLimits } from "../limits.ts";
import { serviceOf } from "./client.ts";
import type { OpenVault } from "./client.ts";
import { vaultAccess } from "./vault-access.ts";
import { vaultReadiness } from "./vault-health.ts";
import { serverField, vaultReadsKind, vaultSecretsKind, vaultServersKind } from "./vault-kinds.ts";

export function vaultServerReconciler(
  openVault: OpenVault,
  store: Pick<Store, "list">,
): Reconciler {
  return {
    kind: vaultServersKind,
    resyncMs: executorLimits.vaultHealthSeconds * 1_000,
    retry: { soonMostMs: 30_000 },
    reconcile: async (server, context) => {
      const code = await openVault(vaultAccess(server), context).health();
      const { health, ...ready } = vaultReadiness(code);
      const status = { health };
      if (ready.status === "True") return done({ status, ready });
      const message = `${serviceOf(server.metadata.name)}: ${ready.message}`;
      return failed(ready.reason, message, { status, ready: { ...ready, message } });
    },
    remove: async (server) => {
      const users = { kind: vaultSecretsKind, words: "VaultSecrets", field: serverField };
      const outcome = await releaseWhenUnused(store, server, users);
      if (outcome.kind !== "done") return outcome;
      const readers = { kind: vaultReadsKind, words: "VaultReads", field: serverField };
      return await releaseWhenUnused(store, server, readers);
    },
  };
}

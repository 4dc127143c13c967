/**
 * Shows whether a cluster can be reached, and holds a KubernetesTarget while ManifestSets use it.
 */
import { KubeError } from "../../../adapters/kubernetes/port.ts";
import type { OpenKube } from "../../../adapters/kubernetes/port.ts";
import { releaseWhenUnused } from "../../../engine/external/shared-resource.ts";
import { done, failed } from "../../../engine/outcome.ts";
import type { Reconciler } from "../../../engine/reconciler.ts";
import { textAt } from "../../../kernel/json-read.ts";
import type { Store } from "../../../store/port.ts";
import { executorLimits } from "../limits.ts";
import { fieldManager } from "./objects.ts";
import { kubernetesTargetsKind, manifestSetsKind, targetField } from "./manifest-kinds.ts";
import { targetAccess } from "./target-access.ts";

export function targetReconciler(openKube: OpenKube, store: Pick<Store, "list">): Reconciler {
  return {
    kind: kubernetesTargetsKind,
    resyncMs: executorLimits.resyncSeconds * 1_000,
    reconcile: async (target, context) => {
      const access = await targetAccess(target, context);
      using client = openKube({ access, token: () => access.token, fieldManager });
      const system = `kubernetes/${target.metadata.name}`;
      try {
        const version = await context.outside(system, (signal) => client.get("/version", signal));
        const { origin } = new URL(access.server);
        return done({ status: { server: origin, version: textAt(version, "gitVersion") } });
      } catch (error) {
        if (!(error instanceof KubeError)) throw error;
        const reason = error.status === 0 ? "ConnectionFailed" : "RequestRefused";
        const message = `the API of the KubernetesTarget: ${error.message}`;
        return failed(reason, message, { ready: { status: "False", reason, message } });
      }
    },
    remove: async (target) => {
      const users = { kind: manifestSetsKind, words: "ManifestSets", field: targetField };
      return await releaseWhenUnused(store, target, users);
    },
  };
}

/** Shows whether a Consul server works, and holds a ConsulServer while resources use it. */
import { releaseWhenUnused } from "../../../engine/external/shared-resource.ts";
import { done, failed } from "../../../engine/outcome.ts";
import type { Reconciler } from "../../../engine/reconciler.ts";
import type { Store } from "../../../store/port.ts";
import { executorLimits } from "../limits.ts";
import { serviceOf } from "./client.ts";
import type { OpenConsul } from "./client.ts";
import { consulAccess } from "./consul-access.ts";
import {
  consulKeysKind,
  consulServersKind,
  consulServicesKind,
  serverField,
} from "./consul-kinds.ts";

export function consulServerReconciler(
  openConsul: OpenConsul,
  store: Pick<Store, "list">,
): Reconciler {
  return {
    kind: consulServersKind,
    resyncMs: executorLimits.resyncSeconds * 1_000,
    reconcile: async (server, context) => {
      const leader = await openConsul(await consulAccess(server, context), context).leader();
      if (leader !== "") return done({ status: { leader } });
      const message = `${serviceOf(server.metadata.name)} has no leader`;
      const ready = { status: "False", reason: "NoLeader", message } as const;
      return failed("NoLeader", message, { ready });
    },
    remove: async (server) => {
      const keys = { kind: consulKeysKind, words: "ConsulKeys", field: serverField };
      const outcome = await releaseWhenUnused(store, server, keys);
      if (outcome.kind !== "done") return outcome;
      const services = { kind: consulServicesKind, words: "ConsulServices", field: serverField };
      return await releaseWhenUnused(store, server, services);
    },
  };
}

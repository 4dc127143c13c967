// Namespaces: each has its default ServiceAccount, and one that is deleted is emptied first.

import { again, done } from "../engine/outcome.ts";
import type { Reconciler } from "../engine/reconciler.ts";
import { ensure } from "../intents/bootstrap.ts";
import type { Intents } from "../intents/request.ts";
import { namespacesKind } from "../intents/write/namespace.ts";
import { isSetpointError } from "../kernel/errors.ts";
import { endNamespace } from "./namespace-deletion.ts";
import { claimOf, concurrency, retry, untilShown } from "./own-run.ts";

export const defaultAccount = "default";

export function namespaceReconciler(intents: Intents): Reconciler {
  return {
    kind: namespacesKind,
    ownsStatus: true,
    concurrency,
    retry,
    reconcile: async (namespace, context) => {
      await untilShown(intents, namespace, context);
      const { name, deletionTimestamp } = namespace.metadata;
      if (deletionTimestamp === undefined) {
        await ensureDefaultAccount(intents, name);
        return done();
      }
      const claim = claimOf(namespacesKind, namespace, context);
      const againMs = await endNamespace(intents, name, { claim, signal: context.signal });
      return againMs === undefined ? done() : again(againMs);
    },
  };
}

async function ensureDefaultAccount(intents: Intents, namespace: string): Promise<void> {
  const metadata = { name: defaultAccount, namespace };
  try {
    await ensure(intents, { apiVersion: "v1", kind: "ServiceAccount", metadata });
  } catch (error) {
    // The namespace was deleted meanwhile, which made it due again.
    if (!isBeingDeleted(intents, namespace) || !isSetpointError(error)) throw error;
  }
}

function isBeingDeleted({ live }: Intents, name: string): boolean {
  const record = live.get({ kind: namespacesKind, namespace: "", name });
  return record === undefined || record.resource.metadata.deletionTimestamp !== undefined;
}

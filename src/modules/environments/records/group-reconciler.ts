// Reconciles ResourceGroups: the state of a group is derived from its resources.

import { done } from "../../../engine/outcome.ts";
import type { Outcome } from "../../../engine/outcome.ts";
import type { Context, Reconciler } from "../../../engine/reconciler.ts";
import { namespaceTenant } from "../../../intents/auth/tenant-name.ts";
import { recordsInTurns } from "../../../intents/read/records-in-turns.ts";
import { decodeDocument } from "../../../kernel/document.ts";
import { objectsAt, textAt } from "../../../kernel/json-read.ts";
import type { Resource } from "../../../kernel/resource.ts";
import type { Store } from "../../../store/port.ts";
import { countsOf, memberOf } from "../environment/members.ts";
import { environmentLimits } from "../limits.ts";
import { groupsKind, resourcesKind } from "../names.ts";

export function groupReconciler(store: Pick<Store, "getMany">): Reconciler {
  return {
    kind: groupsKind,
    resyncMs: 600_000,
    reconcile: async (resource, context) => await reconcile(resource, context, store),
  };
}

async function reconcile(
  resource: Resource,
  context: Context,
  store: Pick<Store, "getMany">,
): Promise<Outcome> {
  const namespace = resource.metadata.namespace ?? "";
  const names = objectsAt(resource.spec, "resources").map((link) => textAt(link, "id"));
  const keys = names.map((name) => ({ kind: resourcesKind, namespace, name }));
  const members: ReturnType<typeof memberOf>[] = [];
  for await (const record of recordsInTurns(store, keys, namespaceTenant(namespace))) {
    if (record !== undefined) members.push(memberOf(decodeDocument(record.body, record.revision)));
  }
  // Followed in part: a group of many resources is also looked at regularly.
  for (const name of names.slice(0, environmentLimits.maxAwaited)) {
    await context.references.get({ kind: resourcesKind, name });
  }
  const counts = countsOf(members);
  const isReady = counts.ready === names.length;
  const state = isReady ? "Ready" : stateOf(counts);
  const status = {
    state,
    resources: { total: names.length, ready: counts.ready, failed: counts.failed },
  };
  if (isReady) return done({ status });
  const message = `${counts.ready} of ${names.length} resources are ready`;
  return done({ status, ready: { status: "False", reason: state, message } });
}

function stateOf(counts: ReturnType<typeof countsOf>): string {
  if (counts.removing > 0) return "Removing";
  if (counts.failed > 0) return "Failed";
  return counts.deploying > 0 ? "Deploying" : "Waiting";
}

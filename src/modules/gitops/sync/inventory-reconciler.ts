/** Reconciles Inventories: an abandoned one deletes its objects, then itself. */
import { again, done } from "../../../engine/outcome.ts";
import type { Outcome } from "../../../engine/outcome.ts";
import type { Context, Reconciler } from "../../../engine/reconciler.ts";
import type { Resource } from "../../../kernel/resource.ts";
import { textAt } from "../../../kernel/json-read.ts";
import { gitopsLimits } from "../limits.ts";
import { inventoriesKind } from "../names.ts";
import { entriesOf, targetIn } from "./inventory.ts";
import { deleteRecord } from "./records.ts";
import { removeEntries } from "./removal.ts";
import type { SyncPorts } from "./run.ts";

/** Times between attempts while a target does not answer. */
const problemMs = 15_000;

export function inventoryReconciler(ports: SyncPorts): Reconciler {
  return {
    kind: inventoriesKind,
    resyncMs: 0,
    reconcile: async (resource, context) => await reconcile(ports, resource, context),
  };
}

async function reconcile(
  { targets, intents }: SyncPorts,
  resource: Resource,
  context: Context,
): Promise<Outcome> {
  if (textAt(resource.spec, "abandonedAt") === "") return done();
  const entries = entriesOf(resource);
  const { namespace = "", name, uid } = resource.metadata;
  const finish = async (): Promise<Outcome> => {
    await deleteRecord({ intents, context }, { kind: inventoriesKind, namespace, name }, uid);
    return done();
  };
  if (entries.length === 0) return await finish();
  const opened = await targets.openEarlier(targetIn(resource), resource, context);
  const problem = (message: string): Outcome =>
    again(problemMs, {
      status: { left: entries.length, message },
      reason: "NotDeleted",
      message,
    });
  if (opened.kind === "problem") return problem(opened.message);
  if (opened.kind === "agent") return problem("the agent of the cluster has to delete the objects");
  const deploymentUid = textAt(resource.spec, "deploymentUID");
  const removal = await removeEntries(opened.target, deploymentUid, entries);
  if (removal.kind === "problem") return problem(removal.message);
  if (removal.left.length === 0) return await finish();
  const { left, message } = removal;
  return again(gitopsLimits.healthPollMs, {
    status: { left: left.length, message },
    reason: "Deleting",
    message,
  });
}

/** Reconciles Inventories: an abandoned one deletes its objects, then itself. */
import { again, done } from "../../../engine/outcome.ts";
import type { Outcome } from "../../../engine/outcome.ts";
import type { Context, Reconciler } from "../../../engine/reconciler.ts";
import type { Resource } from "../../../kernel/resource.ts";
import { textAt } from "../../../kernel/json-read.ts";
import { gitopsLimits } from "../limits.ts";
import { inventoriesKind } from "../names.ts";
import { reportIn, requestDocument } from "../agent/bundle.ts";
import { digestOf } from "../digest.ts";
import { deleteBundles } from "../targets/bundle-exchange.ts";
import type { BundleExchange } from "../targets/target.ts";
import { inventoryBundle } from "./agent-sync.ts";
import { entriesOf, targetIn } from "./inventory.ts";
import type { InventoryEntry } from "./plan.ts";
import { deleteRecord } from "./records.ts";
import { removeEntries } from "./removal.ts";
import type { SyncPorts } from "./run.ts";

/** The report of an agent wakes the Inventory; this bounds what a lost wake could cost. */
const agentMs = 60_000;
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
  const deploymentUid = textAt(resource.spec, "deploymentUID");
  if (opened.kind === "agent") {
    const { left, message } = await removeByAgent(opened.exchange, resource, entries);
    if (left > 0) return again(agentMs, { status: { left, message }, reason: "Deleting", message });
    await deleteBundles({ intents, context }, deploymentUid, (bundle) => !isBundleOf(bundle, uid));
    return await finish();
  }
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

function isBundleOf({ metadata }: Resource, inventoryUid: string): boolean {
  return metadata.name === inventoryBundle({ metadata: { uid: inventoryUid } });
}

async function removeByAgent(
  exchange: BundleExchange,
  inventory: Resource,
  entries: readonly InventoryEntry[],
): Promise<{ readonly left: number; readonly message: string }> {
  const { metadata, spec } = inventory;
  const deploymentUid = textAt(spec, "deploymentUID");
  const name = inventoryBundle(inventory);
  const request = requestDocument({ kind: "Remove", deploymentUid, entries });
  const deployment = {
    namespace: metadata.namespace ?? "",
    name: textAt(spec, "deployment"),
    uid: deploymentUid,
  };
  const about = digestOf(request);
  const payload = { about, request };
  await exchange.send({ name, deployment, operation: "", revision: "", action: "Remove", payload });
  const document = await exchange.report(name);
  const report = document === undefined ? undefined : reportIn(document, deploymentUid);
  const { length } = entries;
  if (report?.kind === "Problem") return { left: length, message: report.message };
  if (report?.kind !== "Remove") return { left: length, message: "waits for the agent" };
  return report;
}

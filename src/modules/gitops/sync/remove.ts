/**
 * What a deleted GitOpsDeployment leaves. With the objects finalizer it stays until its objects are
 * deleted. Without, its inventories are abandoned, and their reconciler deletes the objects.
 */
import { again, done } from "../../../engine/outcome.ts";
import type { Outcome } from "../../../engine/outcome.ts";
import { updateResource } from "../../../intents/write/update.ts";
import { fencedWrite } from "../../../engine/run/fenced-write.ts";
import { systemCallerFor, systemOptions } from "../../../intents/bootstrap.ts";
import { textAt } from "../../../kernel/json-read.ts";
import type { Resource } from "../../../kernel/resource.ts";
import { gitopsLimits } from "../limits.ts";
import { deploymentsKind, inventoriesKind, objectsFinalizers } from "../names.ts";
import { actionOf, deleteBundles } from "../targets/bundle-exchange.ts";
import { abandon, readInventory } from "./inventory-store.ts";
import { deleteRecord, listByField } from "./records.ts";
import { recordsOf } from "./run.ts";
import type { SyncRunOf } from "./run.ts";

export async function removeDeployment(run: SyncRunOf): Promise<Outcome> {
  const { resource, ports } = run;
  const records = recordsOf(run);
  const { shards } = await readInventory(ports.intents.store, resource, undefined);
  if (textAt(resource.spec, "syncPolicy", "deletion") === "Orphan") {
    const { namespace = "" } = resource.metadata;
    for (const { metadata } of shards) {
      await deleteRecord(records, { kind: inventoriesKind, namespace, name: metadata.name });
    }
  } else await abandon(records, shards);
  await deleteBundles(records, resource.metadata.uid, (bundle) => actionOf(bundle) === "Remove");
  const held = heldBy(resource);
  if (held.length === 0) return done();
  const left = await leftOf(run);
  if (left > 0) {
    const message = `${left} inventories of objects are being deleted`;
    return again(gitopsLimits.healthPollMs, { reason: "Deleting", message });
  }
  await releaseFinalizers(run);
  return done();
}

function heldBy({ metadata: { finalizers = [] } }: Resource): readonly string[] {
  return finalizers.filter((name) => objectsFinalizers.includes(name));
}

async function leftOf({ resource, ports: { intents } }: SyncRunOf): Promise<number> {
  const { uid, namespace = "" } = resource.metadata;
  const at = { kind: inventoriesKind, namespace };
  return (await listByField(intents.store, at, ".spec.deploymentUID", uid)).length;
}

/** The engine removes its own finalizer after this run. */
async function releaseFinalizers({
  resource,
  context,
  ports: { intents },
}: SyncRunOf): Promise<void> {
  const served = intents.kinds.byId(deploymentsKind);
  if (served === undefined) throw new Error("GitOpsDeployments are always served");
  const { namespace = "", name } = resource.metadata;
  await fencedWrite(context, async ({ claim, cause }) => {
    await updateResource(intents, {
      caller: systemCallerFor(cause),
      target: { served, version: served.storage, namespace, name, subresource: "" },
      options: { ...systemOptions, claim },
      optionsKind: "UpdateOptions",
      change: (old) => {
        const { finalizers = [] } = old.metadata;
        const kept = finalizers.filter((each) => !objectsFinalizers.includes(each));
        return { wanted: { ...old, metadata: { ...old.metadata, finalizers: kept } } };
      },
      allowsBlind: true,
    });
  });
}

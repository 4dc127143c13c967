/**
 * What a deleted GitOpsDeployment leaves. With the objects finalizer it stays until its objects are
 * deleted and its hooks have run. Without, its inventories are abandoned, and their reconciler
 * deletes the objects.
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
import { deletionOf, hasDeletionHooks, runDeletionHooks, stageOf } from "./deletion-hooks.ts";
import { abandon, readInventory } from "./inventory-store.ts";
import type { OperationState } from "./operation.ts";
import { deleteRecord, listByField } from "./records.ts";
import { recordsOf } from "./run.ts";
import type { SyncRunOf } from "./run.ts";

export async function removeDeployment(run: SyncRunOf): Promise<Outcome> {
  const { resource, ports } = run;
  const { shards } = await readInventory(ports.intents.store, resource, undefined);
  const isHeld = heldBy(resource).length > 0;
  const deletion = deletionOf(resource);
  const hasHooks = deletion !== undefined || hasDeletionHooks(shards);
  if (isHeld && hasHooks && (await mayRunHooks(run))) {
    return await removeWithHooks(run, shards, deletion);
  }
  const waiting = await removeObjects(run, shards);
  if (!isHeld) return done();
  if (waiting !== undefined) return waiting;
  await releaseFinalizers(run);
  return done();
}

async function removeWithHooks(
  run: SyncRunOf,
  shards: readonly Resource[],
  deletion: OperationState | undefined,
): Promise<Outcome> {
  const stage = stageOf(deletion);
  if (stage === "PreDelete" || stage === "PostDelete") {
    return await runDeletionHooks(run, stage, deletion);
  }
  const waiting = await removeObjects(run, shards);
  if (waiting !== undefined) return waiting;
  if (stage === "Prune") return await runDeletionHooks(run, "PostDelete", deletion);
  await releaseFinalizers(run);
  return done();
}

/** Until all of them are deleted, why it waits. */
async function removeObjects(
  run: SyncRunOf,
  shards: readonly Resource[],
): Promise<Outcome | undefined> {
  const records = recordsOf(run);
  const { uid, namespace = "" } = run.resource.metadata;
  if (isOrphaning(run.resource)) {
    for (const { metadata } of shards) {
      await deleteRecord(records, { kind: inventoriesKind, namespace, name: metadata.name });
    }
  } else await abandon(records, shards);
  await deleteBundles(records, uid, (bundle) => actionOf(bundle) === "Remove");
  const left = await leftOf(run);
  if (left === 0) return undefined;
  const message = `${left} inventories of objects are being deleted`;
  return again(gitopsLimits.healthPollMs, { reason: "Deleting", message });
}

function isOrphaning({ spec }: Resource): boolean {
  return textAt(spec, "syncPolicy", "deletion") === "Orphan";
}

/** In a namespace that is being deleted nothing can be created, and what hooks need may be gone. */
async function mayRunHooks({ resource, context }: SyncRunOf): Promise<boolean> {
  if (isOrphaning(resource)) return false;
  const { namespace: name = "" } = resource.metadata;
  const namespace = await context.references.get({ kind: "namespaces", name });
  return namespace !== undefined && namespace.metadata.deletionTimestamp === undefined;
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

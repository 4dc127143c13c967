/** The objects that a deployment has, or may have, in a target. Pure: see inventory-store.ts. */
import type { JsonObject } from "../../../kernel/json.ts";
import { numberAt, objectAt, objectsAt, textAt } from "../../../kernel/json-read.ts";
import type { Resource } from "../../../kernel/resource.ts";
import { gitopsLimits } from "../limits.ts";
import { gitopsVersion } from "../names.ts";
import { referenceKey } from "../object-reference.ts";
import type { TargetIdentity } from "../targets/target.ts";
import { trackedBy } from "./desired.ts";
import { compareTexts } from "./order.ts";
import type { InventoryEntry, Plan } from "./plan.ts";

export function entriesOf(inventory: Resource): readonly InventoryEntry[] {
  return objectsAt(inventory.spec, "entries").map((entry) => ({
    at: {
      group: textAt(entry, "group"),
      version: textAt(entry, "version"),
      kind: textAt(entry, "kind"),
      namespace: textAt(entry, "namespace"),
      name: textAt(entry, "name"),
    },
    uid: textAt(entry, "uid"),
    digest: textAt(entry, "digest"),
    wave: numberAt(entry, "wave") ?? 0,
    hook: textAt(entry, "hook"),
    pruneOptions: textAt(entry, "pruneOptions"),
  }));
}

export function targetIn(inventory: Resource): TargetIdentity {
  const target = objectAt(inventory.spec, "target");
  return {
    kind: (textAt(target, "kind") || "Setpoint") as TargetIdentity["kind"],
    environment: textAt(target, "environment"),
    server: textAt(target, "server"),
    namespace: textAt(target, "namespace"),
    serviceAccountName: textAt(target, "serviceAccountName"),
    digest: textAt(target, "digest"),
  };
}

/** Before the first write of a sync: what was applied, and what may be. */
export function inventoryBefore(
  old: readonly InventoryEntry[],
  plan: Plan,
): readonly InventoryEntry[] {
  const entries = new Map(old.map((entry) => [referenceKey(entry.at), entry]));
  for (const { at, wave, hook, pruneOptions, isNamespace } of plan.objects) {
    if (isNamespace === true) continue;
    const key = referenceKey(at);
    const phases = hook?.phases.join(",") ?? "";
    const known = entries.get(key);
    const { uid = "", digest = "" } = known ?? {};
    entries.set(key, { at, uid, digest, wave, hook: phases, pruneOptions });
  }
  return [...entries.values()];
}

/**
 * Objects that the deployment has applied and that no entry names, such as after an Inventory was
 * deleted.
 */
export function lostEntries(
  entries: readonly InventoryEntry[],
  { objects }: Plan,
  live: ReadonlyMap<string, JsonObject>,
  deploymentUid: string,
): readonly InventoryEntry[] {
  const known = new Set(entries.map(({ at }) => referenceKey(at)));
  return objects.flatMap(({ at, wave, hook, pruneOptions, digest, isNamespace }) => {
    const object = live.get(referenceKey(at));
    if (hook !== undefined || isNamespace === true || object === undefined) return [];
    if (known.has(referenceKey(at)) || trackedBy(at, object) !== deploymentUid) return [];
    return [{ at, uid: textAt(object, "metadata", "uid"), digest, wave, hook: "", pruneOptions }];
  });
}

/** What a wave found or changed. */
export interface InventoryChanges {
  /** By `referenceKey`. */
  readonly applied: ReadonlyMap<string, { readonly uid: string; readonly digest: string }>;
  /** References of objects that do not exist any more and are not in git. */
  readonly removed: ReadonlySet<string>;
}

export function inventoryAfter(
  entries: readonly InventoryEntry[],
  { applied, removed }: InventoryChanges,
): readonly InventoryEntry[] {
  return entries.flatMap((entry) => {
    const key = referenceKey(entry.at);
    if (removed.has(key)) return [];
    const change = applied.get(key);
    return [change === undefined ? entry : { ...entry, ...change }];
  });
}

/** Equal entries have equal shards, so that only what changed is written. */
export function shardsOf(entries: readonly InventoryEntry[]): readonly InventoryEntry[][] {
  const sorted = entries.toSorted((a, b) => compareTexts(referenceKey(a.at), referenceKey(b.at)));
  const size = gitopsLimits.inventoryShard;
  const count = Math.ceil(sorted.length / size);
  return Array.from({ length: count }, (_, at) => sorted.slice(at * size, (at + 1) * size));
}

export interface ShardOwner {
  readonly deployment: Resource;
  readonly target: TargetIdentity;
}

export function shardDocument(
  { deployment, target }: ShardOwner,
  shard: number,
  entries: readonly InventoryEntry[],
): JsonObject {
  const { name, uid, namespace = "" } = deployment.metadata;
  return {
    apiVersion: gitopsVersion,
    kind: "Inventory",
    metadata: { name: shardName(uid, shard), namespace },
    spec: {
      deployment: name,
      deploymentUID: uid,
      shard,
      target: { ...target },
      entries: entries.map(({ at, ...rest }) => ({ ...at, ...rest })),
    },
  };
}

export function shardName(deploymentUid: string, shard: number): string {
  return `inv-${deploymentUid}-${shard}`;
}

/** The stored shards of the inventory of a deployment. */
import { timeText } from "../../../kernel/clock.ts";
import { objectAt, textAt } from "../../../kernel/json-read.ts";
import type { Resource } from "../../../kernel/resource.ts";
import type { Store } from "../../../store/port.ts";
import { inventoriesKind } from "../names.ts";
import type { TargetIdentity } from "../targets/target.ts";
import { entriesOf, shardDocument, shardsOf, targetIn } from "./inventory.ts";
import type { InventoryEntry } from "./plan.ts";
import { deleteRecord, listByField, putRecord } from "./records.ts";
import type { RecordPorts } from "./records.ts";

export interface StoredInventory {
  readonly shards: readonly Resource[];
  readonly entries: readonly InventoryEntry[];
  /** Shards of other targets that are not abandoned yet. */
  readonly earlier: readonly Resource[];
  /** Numbers that are in use, with those of abandoned shards. */
  readonly used: ReadonlySet<string>;
}

export async function readInventory(
  store: Pick<Store, "list">,
  { metadata: { uid, namespace = "" } }: Resource,
  target: TargetIdentity | undefined,
): Promise<StoredInventory> {
  const at = { kind: inventoriesKind, namespace };
  const found = await listByField(store, at, ".spec.deploymentUID", uid);
  const isLeft = (shard: Resource): boolean => textAt(shard.spec, "abandonedAt") !== "";
  const present = found.filter((shard) => !isLeft(shard));
  const isOurs = (shard: Resource): boolean =>
    target === undefined || targetIn(shard).digest === target.digest;
  const shards = present.filter(isOurs);
  return {
    shards,
    entries: shards.flatMap(entriesOf),
    earlier: present.filter((shard) => !isOurs(shard)),
    used: new Set(found.filter((shard) => !shards.includes(shard)).map(nameOf)),
  };
}

/** Writes the shards that differ. */
export async function writeInventory(
  ports: RecordPorts,
  deployment: Resource,
  target: TargetIdentity,
  stored: StoredInventory,
  entries: readonly InventoryEntry[],
): Promise<StoredInventory> {
  const present = new Map(stored.shards.map((shard) => [nameOf(shard), shard]));
  const { namespace = "" } = deployment.metadata;
  let number = 0;
  for (const some of shardsOf(entries)) {
    let body = shardDocument({ deployment, target }, number, some);
    while (stored.used.has(textAt(body, "metadata", "name"))) {
      number += 1;
      body = shardDocument({ deployment, target }, number, some);
    }
    number += 1;
    const name = textAt(body, "metadata", "name");
    await putRecord(ports, body, present.get(name));
    present.delete(name);
  }
  // Entries move between shards: those that are left over have none that another has not.
  for (const name of present.keys()) {
    await deleteRecord(ports, { kind: inventoriesKind, namespace, name });
  }
  return { ...stored, shards: await rereadShards(ports, deployment, target), entries };
}

/** Their reconciler deletes the entries, then the shards. */
export async function abandon(ports: RecordPorts, shards: readonly Resource[]): Promise<void> {
  const abandonedAt = timeText(ports.context.clock.nowMs());
  for (const shard of shards) {
    const { apiVersion, kind, metadata, spec } = shard;
    const { name, namespace = "" } = metadata;
    const body = {
      apiVersion,
      kind,
      metadata: { name, namespace },
      spec: { ...objectAt(spec), abandonedAt },
    };
    await putRecord(ports, body, shard);
  }
}

function nameOf({ metadata }: Resource): string {
  return metadata.name;
}

async function rereadShards(
  { intents }: RecordPorts,
  deployment: Resource,
  target: TargetIdentity,
): Promise<readonly Resource[]> {
  return (await readInventory(intents.store, deployment, target)).shards;
}

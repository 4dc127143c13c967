// The RegionCapacities of all Offerings together. They belong to no Offering: each Offering writes
// them under its claim, from the same facts, so that the last writer is as good as any other.

import type { Context } from "../../../engine/reconciler.ts";
import type { Intents } from "../../../intents/request.ts";
import { decodeDocument } from "../../../kernel/document.ts";
import { equalJson } from "../../../kernel/json.ts";
import type { Resource } from "../../../kernel/resource.ts";
import type { Store } from "../../../store/port.ts";
import { deleteClaimed, putClaimed } from "../claimed-writes.ts";
import { fleetGroup, fleetVersion, regionCapacitiesKind } from "../names.ts";
import { regionCapacityName } from "./region-capacity.ts";
import type { SharedMax } from "./region-capacity.ts";

const sharedLabel = `${fleetGroup}/all-offerings`;
const labels = { [sharedLabel]: "true" };

export interface SharedCapacityPorts {
  readonly store: Pick<Store, "list">;
  /** With the bounds of counters. */
  readonly intents: Intents;
}

export async function boundShared(
  { store, intents }: SharedCapacityPorts,
  context: Context,
  maxima: readonly SharedMax[],
): Promise<void> {
  const stored = new Map(
    (await storedShared(store)).map((resource) => [resource.metadata.name, resource]),
  );
  for (const place of maxima) {
    const { provider, region, type, max } = place;
    const name = regionCapacityName(place);
    const spec = { provider, region, type, max };
    const known = stored.get(name);
    stored.delete(name);
    if (equalJson(known?.spec ?? null, spec)) continue;
    const metadata = { name, labels };
    await putClaimed(intents, context, {
      apiVersion: fleetVersion,
      kind: "RegionCapacity",
      metadata,
      spec,
    });
  }
  for (const name of stored.keys()) {
    await deleteClaimed(intents, context, { kind: regionCapacitiesKind, namespace: "", name });
  }
}

async function storedShared(store: Pick<Store, "list">): Promise<readonly Resource[]> {
  const isShared = { key: sharedLabel, operator: "exists", values: [] } as const;
  const { records } = await store.list({ kind: regionCapacitiesKind, labels: [isShared] });
  return records.map(({ body, revision }) => decodeDocument(body, revision));
}

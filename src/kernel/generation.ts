// The generation counts changes of intent, so that `status.observedGeneration` can say which
// intent was acted on. Metadata is not intent, nor is status where it has its own subresource,
// nor apiVersion, which only says in which version the intent is written. A deletion is intent.

import { equalJson } from "./json.ts";
import type { Json } from "./json.ts";
import type { KindVersion } from "./kind.ts";
import type { Resource } from "./resource.ts";

export function nextGeneration(
  version: Pick<KindVersion, "subresources">,
  before: Resource | undefined,
  after: Resource,
): number {
  if (before === undefined) return 1;
  const { generation, deletionTimestamp } = before.metadata;
  const isNewlyDeleted =
    deletionTimestamp === undefined && after.metadata.deletionTimestamp !== undefined;
  const isChanged = isNewlyDeleted || !sameIntent(before, after, version.subresources.status);
  return isChanged ? generation + 1 : generation;
}

function sameIntent(before: Resource, after: Resource, hasStatus: boolean): boolean {
  const isIntent = (key: string): boolean =>
    key !== "metadata" && key !== "apiVersion" && !(hasStatus && key === "status");
  const same = (key: string): boolean => equalJson(ownValue(before, key), ownValue(after, key));
  const keys = [...Object.keys(before), ...Object.keys(after)];
  return keys.filter(isIntent).every(same);
}

function ownValue(resource: Resource, key: string): Json | undefined {
  return Object.hasOwn(resource, key) ? resource[key] : undefined;
}

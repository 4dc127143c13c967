// Objects cut down to their metadata, for clients that need no more: garbage collectors, metadata
// informers, and the rows of a Table.

import { getOwn } from "../../../kernel/json.ts";
import type { JsonObject, MutableJsonObject } from "../../../kernel/json.ts";

/** The versions of meta.k8s.io that clients may ask for. */
export type MetaVersion = "v1" | "v1beta1";

/** What a list says about itself. */
export interface ListMetadata {
  readonly resourceVersion?: string | undefined;
  readonly continue?: string | undefined;
  readonly remainingItemCount?: number | undefined;
}

export function partialObjectMetadata(object: JsonObject, version: MetaVersion = "v1"): JsonObject {
  return {
    kind: "PartialObjectMetadata",
    apiVersion: `meta.k8s.io/${version}`,
    metadata: getOwn(object, "metadata") ?? {},
  };
}

export function partialObjectMetadataList(
  objects: readonly JsonObject[],
  metadata: ListMetadata,
  version: MetaVersion = "v1",
): JsonObject {
  const items = objects.map((object) => partialObjectMetadata(object, version));
  return { ...metadataListFields(metadata, version), items };
}

/** What such a list has besides its items. */
export function metadataListFields(metadata: ListMetadata, version: MetaVersion): JsonObject {
  return {
    kind: "PartialObjectMetadataList",
    apiVersion: `meta.k8s.io/${version}`,
    metadata: listMetadata(metadata),
  };
}

/** The metadata of a list as it is sent: what is empty is left out. */
export function listMetadata(metadata: ListMetadata): JsonObject {
  const { resourceVersion = "", continue: token = "", remainingItemCount } = metadata;
  const sent: MutableJsonObject = {};
  if (resourceVersion !== "") sent["resourceVersion"] = resourceVersion;
  if (token !== "") sent["continue"] = token;
  if (remainingItemCount !== undefined) sent["remainingItemCount"] = remainingItemCount;
  return sent;
}

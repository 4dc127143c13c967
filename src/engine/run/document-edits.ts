// The only changes that the engine itself makes to documents: their status, and its finalizers.

import type { JsonObject } from "../../kernel/json.ts";
import type { Resource } from "../../kernel/resource.ts";
import { finalizer, pausedFinalizer } from "../names.ts";

export function withStatus(resource: Resource, status: JsonObject): Resource {
  return { ...resource, status };
}

/** What is being deleted takes no new finalizers. */
export function withFinalizer(resource: Resource): Resource {
  const { finalizers = [], deletionTimestamp } = resource.metadata;
  if (finalizers.includes(finalizer) || deletionTimestamp !== undefined) return resource;
  return {
    ...resource,
    metadata: { ...resource.metadata, finalizers: [...finalizers, finalizer] },
  };
}

export function withoutFinalizers(resource: Resource): Resource {
  const { finalizers = [] } = resource.metadata;
  const kept = finalizers.filter((each) => each !== finalizer && each !== pausedFinalizer);
  return { ...resource, metadata: { ...resource.metadata, finalizers: kept } };
}

// Owners named twice are kept once, and whoever sent them is told.

import { equalJson } from "../../kernel/json.ts";
import type { OwnerReference, Resource } from "../../kernel/resource.ts";
import type { Caller } from "../request.ts";
import { withMetadata } from "./system-metadata.ts";

const warning =
  ".metadata.ownerReferences contains duplicate entries; API server dedups owner references in " +
  "1.20+, and may reject such requests as early as 1.24; please fix your requests; " +
  "duplicate UID(s) observed: ";
const lateWarning =
  ".metadata.ownerReferences contains duplicate entries after mutating admission happens; API " +
  "server dedups owner references in 1.20+, and may reject such requests as early as 1.24; " +
  "please fix your requests; duplicate UID(s) observed: ";

/** `isLate` after policies had their say. */
export function withDistinctOwners(caller: Caller, resource: Resource, isLate: boolean): Resource {
  const { ownerReferences } = resource.metadata;
  if (ownerReferences === undefined || ownerReferences.length < 2) return resource;
  const kept: OwnerReference[] = [];
  const repeated: string[] = [];
  const seen = new Set<string>();
  for (const owner of ownerReferences) {
    const isRepeated = seen.has(owner.uid) && kept.some((other) => equalJson(other, owner));
    if (isRepeated) repeated.push(owner.uid);
    else kept.push(owner);
    seen.add(owner.uid);
  }
  if (repeated.length === 0) return resource;
  caller.warn(`${isLate ? lateWarning : warning}${repeated.join(", ")}`);
  return withMetadata(resource, { ...resource.metadata, ownerReferences: kept });
}

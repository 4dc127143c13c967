// Owners named twice are kept once, and whoever sent them is told.

import { canonicalJson } from "../../kernel/canonical-json.ts";
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
    const text = canonicalJson(owner);
    if (seen.has(text)) repeated.push(owner.uid);
    else kept.push(owner);
    seen.add(text);
  }
  if (repeated.length === 0) return resource;
  caller.warn(`${isLate ? lateWarning : warning}${repeated.join(", ")}`);
  return withMetadata(resource, { ...resource.metadata, ownerReferences: kept });
}

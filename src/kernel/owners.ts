// Owner references: who is deleted together with whom. A reference counts only with its uid,
// because a name may be taken again by somebody else.

import type { Resource } from "./resource.ts";

/** The uids of all owners, each once. */
export function ownerUids(resource: Resource): readonly string[] {
  const references = resource.metadata.ownerReferences;
  if (references === undefined || references.length === 0) return [];
  return [...new Set(references.map((reference) => reference.uid))];
}

// Owner references: who is deleted together with whom. A reference counts only with its uid,
// because a name may be taken again by somebody else; and at most one owner is the controller.

import { limits } from "./limits.ts";
import type { OwnerReference, Resource } from "./resource.ts";

/** What is wrong with a list of references, each with its index; empty means good. */
export function ownerProblems(references: readonly OwnerReference[]): readonly string[] {
  const problems: string[] = [];
  if (references.length > limits.maxOwnerReferences) {
    problems.push(`must have at most ${limits.maxOwnerReferences} items`);
  }
  let controllers = 0;
  for (const [index, reference] of references.entries()) {
    for (const field of ["apiVersion", "kind", "name", "uid"] as const) {
      const value: unknown = reference[field];
      if (typeof value !== "string" || value === "") {
        problems.push(`[${index}].${field}: must not be empty`);
      }
    }
    if (reference.controller === true) controllers += 1;
  }
  if (controllers > 1) problems.push("only one reference can have controller set to true");
  return problems;
}

/** The uids of all owners, each once. */
export function ownerUids(resource: Resource): readonly string[] {
  const references = resource.metadata.ownerReferences;
  if (references === undefined || references.length === 0) return [];
  return [...new Set(references.map((reference) => reference.uid))];
}

// The resource tree of a deployment: below each managed object those that name it as an owner, and
// so on. Pure.

import type { JsonObject } from "../../../kernel/json.ts";
import { compareTexts } from "../sync/order.ts";
import { gitopsLimits } from "../limits.ts";
import { referenceKey } from "../object-reference.ts";
import type { ObjectReference } from "../object-reference.ts";

export interface TreeObject {
  readonly at: ObjectReference;
  /** Empty where it is not known: nothing is below the object. */
  readonly uid: string;
  /** The uids of its owners; a managed object is a root whatever it names. */
  readonly owners: readonly string[];
  /** Shown with the reference, as in status.resources. */
  readonly shown: JsonObject;
}

export interface ObjectTree {
  readonly nodes: readonly JsonObject[];
  /** Objects below the managed ones that are left out because the tree has bounds. */
  readonly omitted: number;
}

interface Branch {
  readonly object: TreeObject;
  readonly below: Branch[];
}

/** Each object is there once: below the owner that is nearest to the roots. */
export function objectTree(
  managed: readonly TreeObject[],
  candidates: readonly TreeObject[],
): ObjectTree {
  const ownedBy = new Map<string, TreeObject[]>();
  for (const candidate of candidates.toSorted(byReference)) {
    for (const owner of candidate.owners) {
      const owned = ownedBy.get(owner);
      if (owned === undefined) ownedBy.set(owner, [candidate]);
      else owned.push(candidate);
    }
  }
  const seen = new Set(managed.map(({ uid }) => uid));
  const roots = managed.map((object): Branch => ({ object, below: [] }));
  let left: number = gitopsLimits.maxTreeObjects;
  let omitted = 0;
  let level: readonly Branch[] = roots;
  for (let depth = 1; level.length > 0; depth += 1) {
    const next: Branch[] = [];
    for (const { object, below } of level) {
      for (const child of ownedBy.get(object.uid) ?? []) {
        if (seen.has(child.uid)) continue;
        seen.add(child.uid);
        if (left === 0 || depth > gitopsLimits.maxTreeDepth) {
          omitted += 1;
          continue;
        }
        left -= 1;
        const branch: Branch = { object: child, below: [] };
        below.push(branch);
        next.push(branch);
      }
    }
    level = next;
  }
  return { nodes: roots.map(nodeOf), omitted };
}

function nodeOf({ object: { at, shown }, below }: Branch): JsonObject {
  return { ...at, ...shown, children: below.map(nodeOf) };
}

function byReference(one: TreeObject, other: TreeObject): number {
  return compareTexts(referenceKey(one.at), referenceKey(other.at));
}

// Who is owned by whom, as far as the log has told: the only question that garbage collection asks
// often, and the one that the store answers kind by kind only. Resources without owners, which are
// nearly all, take no room here.

import { keyText } from "../../kernel/resource.ts";
import type { ResourceKey } from "../../kernel/resource.ts";

export interface OwnerGraph {
  /** Takes in the newest owners of a resource. */
  put(key: ResourceKey, owners: readonly string[]): void;
  remove(key: ResourceKey): void;
  /** The resources that name this uid as an owner. */
  dependentsOf(uid: string): readonly ResourceKey[];
}

export function ownerGraph(): OwnerGraph {
  const ownersOf = new Map<string, readonly string[]>();
  const dependents = new Map<string, Map<string, ResourceKey>>();

  const remove = (key: ResourceKey): void => {
    const text = keyText(key);
    for (const uid of ownersOf.get(text) ?? []) {
      const ofOwner = dependents.get(uid);
      ofOwner?.delete(text);
      if (ofOwner?.size === 0) dependents.delete(uid);
    }
    ownersOf.delete(text);
  };

  return {
    put: (key, owners) => {
      const text = keyText(key);
      // Most changes leave the owners as they are.
      const known = ownersOf.get(text) ?? [];
      const isSame = known.length === owners.length && known.every((uid, at) => uid === owners[at]);
      if (isSame) return;
      remove(key);
      if (owners.length === 0) return;
      ownersOf.set(text, owners);
      for (const uid of owners) {
        const ofOwner = dependents.get(uid) ?? new Map<string, ResourceKey>();
        dependents.set(uid, ofOwner.set(text, key));
      }
    },
    remove,
    dependentsOf: (uid) => [...(dependents.get(uid)?.values() ?? [])],
  };
}

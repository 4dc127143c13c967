// What the changes of the log ask for: wakes for the owners of what changed and for those who refer
// to it, and the removal of the journals of what was deleted. It decides, and writes nothing. Most
// changes concern nobody, so each is asked the cheap questions first.

import type { ResourceKey } from "../../kernel/resource.ts";
import type { Change, Delete, Write } from "../../store/port.ts";
import { journalKey } from "../journal/journal.ts";
import { namedOwners } from "./named-owners.ts";
import { adoptionKind, cursorKind, journalKind } from "../names.ts";
import type { Resources } from "../ports.ts";
import type { ReferenceIndex, Referrer } from "./reference-index.ts";
import { WakeSet } from "./wakes.ts";

export interface WakeRules {
  readonly index: ReferenceIndex;
  /** Kinds that somebody reconciles, as their adoptions say; new ones are added on the way. */
  readonly reconciled: Set<string>;
  readonly resources: Pick<Resources, "kindOf" | "isNamespaced">;
}

export interface Consequences {
  readonly writes: readonly Write[];
  /** How many are woken, by what woke them first. */
  readonly woken: { readonly child: number; readonly reference: number };
}

/** Keeps the rules up to date on the way, so changes have to be given in order. */
export function consequencesOf(changes: readonly Change[], rules: WakeRules): Consequences {
  const wakes = new WakeSet();
  const removals = new Map<string, Delete>();
  const woken = { child: 0, reference: 0 };
  for (const change of changes) {
    const { key, type, uid } = change;
    switch (key.kind) {
      case cursorKind:
        break;
      case adoptionKind:
        rules.reconciled.add(key.name);
        break;
      case journalKind:
        rules.index.take(change);
        if (type === "deleted") removals.delete(key.name);
        break;
      default:
        for (const owner of ownersToWake(change, rules)) {
          if (wakes.add(owner.key, owner.uid)) woken.child += 1;
        }
        for (const referrer of rules.index.referrersTo(key)) {
          if (wakes.add(referrer.key, referrer.uid)) woken.reference += 1;
        }
        if (type === "deleted" && rules.index.hasJournal(uid)) removals.set(uid, removal(key, uid));
    }
  }
  return { writes: [...wakes.writes(), ...removals.values()], woken };
}

export function removal(resource: ResourceKey, uid: string): Delete {
  return { kind: "delete", key: journalKey(resource, uid), when: { kind: "exists" } };
}

function ownersToWake({ key, terms, body }: Change, rules: WakeRules): readonly Referrer[] {
  const { resources, reconciled } = rules;
  return namedOwners(body, terms).flatMap(({ apiVersion, kind, name, uid }) => {
    const id = resources.kindOf(apiVersion, kind);
    if (id === undefined || !reconciled.has(id)) return [];
    const namespace = resources.isNamespaced(id) === false ? "" : key.namespace;
    return [{ key: { kind: id, namespace, name }, uid }];
  });
}

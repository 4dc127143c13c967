// What the changes of the log ask for: wakes for the owners of what changed and for those who refer
// to it, and the removal of the journals of what was deleted. It decides, and writes nothing. Most
// changes concern nobody, so each is asked the cheap questions first. What people wrote never stops
// it: owners that cannot exist are passed over, and so is, with a word, what cannot be read.

import { keyText } from "../../kernel/resource.ts";
import type { ResourceKey } from "../../kernel/resource.ts";
import { isStorableIdentity } from "../../kernel/storable-text.ts";
import type { Change, Delete } from "../../store/port.ts";
import { journalKey } from "../journal/journal.ts";
import { namedOwners } from "./named-owners.ts";
import { adoptionKind, cursorKind, journalKind } from "../names.ts";
import type { Resources } from "../ports.ts";
import { engineCause } from "../run/engine-cause.ts";
import type { QuietStatus } from "./quiet-status.ts";
import type { ReferenceIndex, Referrer } from "./reference-index.ts";

export interface WakeRules {
  readonly index: ReferenceIndex;
  readonly quiet: QuietStatus;
  /** Kinds that somebody reconciles, as their adoptions say; new ones are added on the way. */
  readonly reconciled: Set<string>;
  readonly resources: Pick<Resources, "kindOf" | "isNamespaced">;
}

export interface Consequences {
  readonly wakes: readonly Woken[];
  readonly removals: readonly Delete[];
  /** How many are woken, by what woke them first. */
  readonly woken: { readonly child: number; readonly reference: number };
}

/** Who is to be woken, and by the change of what. */
export interface Woken {
  readonly key: ResourceKey;
  /** Undefined: whichever is there. */
  readonly uid: string | undefined;
  readonly cause: string;
}

/**
 * Keeps the rules up to date on the way, so changes have to be given in order. `unreadable` is told
 * of each that cannot be read; the others go on.
 */
export function consequencesOf(
  changes: readonly Change[],
  rules: WakeRules,
  unreadable: (change: Change, error: unknown) => void,
): Consequences {
  const found: Found = { wakes: new Map(), removals: new Map(), child: 0, reference: 0 };
  for (const change of changes) {
    try {
      look(change, rules, found);
    } catch (error) {
      unreadable(change, error);
    }
  }
  const { wakes, removals, child, reference } = found;
  return {
    wakes: [...wakes.values()],
    removals: [...removals.values()],
    woken: { child, reference },
  };
}

interface Found {
  readonly wakes: Map<string, Woken>;
  readonly removals: Map<string, Delete>;
  child: number;
  reference: number;
}

function look(change: Change, rules: WakeRules, found: Found): void {
  const { key, type, uid } = change;
  const { wakes, removals } = found;
  switch (key.kind) {
    case cursorKind:
      break;
    case adoptionKind:
      rules.reconciled.add(key.name);
      break;
    case journalKind:
      if (type === "deleted") removals.delete(key.name);
      rules.index.take(change);
      break;
    default:
      // References come first: they are known, whatever the document looks like.
      for (const referrer of rules.quiet.isNews(change) ? rules.index.referrersTo(key) : []) {
        if (isFirst(wakes, referrer, key)) found.reference += 1;
      }
      if (type === "deleted" && rules.index.hasJournal(uid)) removals.set(uid, removal(key, uid));
      for (const owner of ownersToWake(change, rules)) {
        if (isFirst(wakes, owner, key)) found.child += 1;
      }
  }
}

/** Notes whom a change wakes, and whether nothing before it did. */
function isFirst(wakes: Map<string, Woken>, { key, uid }: Referrer, changed: ResourceKey): boolean {
  const text = keyText(key);
  const present = wakes.get(text);
  if (present === undefined) wakes.set(text, { key, uid, cause: keyText(changed) });
  // Two namesakes are meant: whichever of them is there is woken.
  else if (present.uid !== uid) wakes.set(text, { ...present, uid: undefined });
  return present === undefined;
}

export function removal(resource: ResourceKey, uid: string): Delete {
  const key = journalKey(resource, uid);
  return { kind: "delete", key, when: { kind: "exists" }, cause: engineCause };
}

function ownersToWake({ key, terms, body }: Change, rules: WakeRules): readonly Referrer[] {
  const { resources, reconciled } = rules;
  return namedOwners(body, terms).flatMap(({ apiVersion, kind, name, uid }) => {
    const id = resources.kindOf(apiVersion, kind);
    if (id === undefined || !reconciled.has(id)) return [];
    const namespace = resources.isNamespaced(id) === false ? "" : key.namespace;
    const owner = { key: { kind: id, namespace, name }, uid };
    // An owner reference may name anything; what no store keeps is not there to be woken.
    return isStorableIdentity(owner.key, uid) ? [owner] : [];
  });
}

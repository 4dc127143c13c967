/** Which objects of an inventory are deleted, and which deletions wait for a confirmation. Pure. */
import type { JsonObject } from "../../../kernel/json.ts";
import { textAt } from "../../../kernel/json-read.ts";
import { digestOf } from "../digest.ts";
import { gitopsLimits } from "../limits.ts";
import { referenceKey } from "../object-reference.ts";
import { scopeKey, trackedBy } from "./desired.ts";
import { isKept, propagationOf } from "./manifest-options.ts";
import { compareReferences, compareTexts } from "./order.ts";
import type { HeldPrunes, InventoryEntry, PlanInput, PlannedPrune } from "./plan.ts";

export interface Prunes {
  /** All, with those that are skipped or held. */
  readonly all: readonly PlannedPrune[];
  readonly held: HeldPrunes | undefined;
}

export function prunesOf(input: PlanInput, wanted: ReadonlySet<string>): Prunes {
  const all = input.inventory
    .flatMap((entry) => prunesOfEntry(input, entry, wanted))
    .toSorted((a, b) => compareReferences(a.at, b.at));
  return { all, held: heldOf(input, all, wanted.size) };
}

/** The live object of an entry, if it is the one that was applied. */
export function ownLive(
  deploymentUid: string,
  { at, uid }: Pick<InventoryEntry, "at" | "uid">,
  live: JsonObject | undefined,
): JsonObject | undefined {
  if (live === undefined) return undefined;
  const liveUid = textAt(live, "metadata", "uid");
  const tracker = trackedBy(at, live);
  // Another deployment took the object over.
  if (tracker !== undefined && tracker !== deploymentUid) return undefined;
  return (uid === "" ? tracker === deploymentUid : uid === liveUid) ? live : undefined;
}

function prunesOfEntry(
  { live, rules, deploymentUid }: PlanInput,
  entry: InventoryEntry,
  wanted: ReadonlySet<string>,
): readonly PlannedPrune[] {
  const key = referenceKey(entry.at);
  if (wanted.has(key) || entry.hook !== "") return [];
  const found = ownLive(deploymentUid, entry, live.get(key));
  if (found === undefined) return [];
  return [
    {
      at: entry.at,
      uid: textAt(found, "metadata", "uid"),
      wave: entry.wave,
      propagation: propagationOf(entry.pruneOptions),
      isSkipped: !rules.prune || isKept(entry.pruneOptions),
      isDeleting: textAt(found, "metadata", "deletionTimestamp") !== "",
    },
  ];
}

function heldOf(
  { rules, scopes, inventory }: PlanInput,
  all: readonly PlannedPrune[],
  wanted: number,
): HeldPrunes | undefined {
  const prunes = all.filter(({ isSkipped, isDeleting }) => !isSkipped && !isDeleting);
  if (prunes.length === 0) return undefined;
  const hold = (
    reason: HeldPrunes["reason"],
    some: readonly PlannedPrune[],
  ): HeldPrunes | undefined => {
    const hash = pruneHash(some);
    return rules.confirmedPrune === hash ? undefined : { reason, hash, prunes: some };
  };
  const guarded = prunes.filter(({ at }) => scopes.get(scopeKey(at))?.isProtected === true);
  const kept = inventory.filter(({ hook }) => hook === "").length;
  const isMany =
    prunes.length > gitopsLimits.massPruneObjects &&
    prunes.length > kept * gitopsLimits.massPruneShare;
  if (wanted === 0 && !(rules.allowEmpty && guarded.length === 0)) return hold("All", prunes);
  if (isMany && wanted > 0) return hold("Many", prunes);
  return guarded.length > 0 ? hold("Protected", guarded) : undefined;
}

/** A confirmation is for exactly these objects, not for later ones of the same names. */
export function pruneHash(prunes: readonly PlannedPrune[]): string {
  const texts = prunes.map(({ at, uid }) => `${referenceKey(at)}@${uid}`);
  return digestOf(texts.toSorted(compareTexts)).slice(0, 32);
}

/** Deletes the objects of an inventory, the last wave first. Pure but for the target. */
import { textAt } from "../../../kernel/json-read.ts";
import { gitopsLimits } from "../limits.ts";
import { referenceKey, referenceText } from "../object-reference.ts";
import type { Target, TargetProblem } from "../targets/target.ts";
import { scopeKey } from "./desired.ts";
import { isKeptAtDeletion, propagationOf } from "./manifest-options.ts";
import { rankOf } from "./order.ts";
import { inParallel } from "./parallel.ts";
import type { InventoryEntry } from "./plan.ts";
import { ownLive } from "./prunes.ts";

export interface Removal {
  readonly kind: "removal";
  /** Entries whose objects still exist. */
  readonly left: readonly InventoryEntry[];
  readonly message: string;
}

export async function removeEntries(
  target: Target,
  deploymentUid: string,
  entries: readonly InventoryEntry[],
): Promise<Removal | TargetProblem> {
  const mine = entries.filter(({ pruneOptions }) => !isKeptAtDeletion(pruneOptions));
  const found = await target.discover(
    mine.map(({ at: { group, version, kind } }) => ({ group, version, kind })),
  );
  if (found.kind === "problem") return found;
  // Objects of a kind that is not served any more do not exist.
  const served = mine.filter(({ at }) => found.scopes.has(scopeKey(at)));
  const read = await target.read(served.map(({ at }) => at));
  if (read.kind === "problem") return read;
  const messages: string[] = [];
  const present = served.filter((entry) => {
    const key = referenceKey(entry.at);
    const problem = read.problems.get(key);
    if (problem !== undefined) messages.push(`${referenceText(entry.at)}: ${problem.message}`);
    const live = ownLive(deploymentUid, entry, read.objects.get(key));
    return problem !== undefined || live !== undefined;
  });
  const left = new Set(present);
  // One wave, and one rank of it, at a time.
  const place = ({ wave, at }: InventoryEntry): string => `${wave} ${rankOf(at)}`;
  const last = present.toSorted((a, b) => b.wave - a.wave || rankOf(b.at) - rankOf(a.at))[0];
  const now = present.filter((entry) => last !== undefined && place(entry) === place(last));
  await inParallel(now, gitopsLimits.targetCallsAtOnce, async (entry) => {
    const live = read.objects.get(referenceKey(entry.at));
    if (live === undefined) return;
    if (textAt(live, "metadata", "deletionTimestamp") !== "") return;
    const uid = textAt(live, "metadata", "uid");
    const deleted = await target.delete(entry.at, uid, propagationOf(entry.pruneOptions));
    if (deleted.kind === "problem") messages.push(`${referenceText(entry.at)}: ${deleted.message}`);
    else if (deleted.isAbsent) left.delete(entry);
  });
  const [first] = messages;
  const message = first ?? (left.size === 0 ? "" : `${left.size} objects are being deleted`);
  return { kind: "removal", left: [...left], message };
}

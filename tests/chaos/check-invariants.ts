// What the workload keeps true at every revision, checked along the whole log and not only at its
// end: a state that was wrong for one revision is as bad as one that stays wrong.
import type { Report } from "./check.ts";
import { kinds, quota } from "./documents.ts";
import type { Entry, ReplayedLog } from "./replay.ts";

export function checkInvariants(log: ReplayedLog, report: Report): void {
  checkPairs(log, report);
  checkHosts(log, report);
  checkUses(log, report);
  checkTokens(log, report);
}

/** The halves of a pair change together: the right one is the very next revision. */
function checkPairs({ entries, state, compacted }: ReplayedLog, report: Report): void {
  const pairs = entries.filter((entry) => entry.change.key.kind === kinds.pairs);
  // The mark may lie between the two halves of the first pair.
  const [first] = pairs;
  const isCut = first?.key.endsWith("right") === true && first.change.revision === compacted + 1;
  for (let i = isCut ? 1 : 0; i < pairs.length; i += 2) {
    const [left, right] = [pairs[i], pairs[i + 1]];
    if (left === undefined) break;
    const isPair =
      right !== undefined &&
      right.key === left.key.replace("left", "right") &&
      right.change.revision === left.change.revision + 1 &&
      right.change.type === left.change.type &&
      right.document.spec.number === left.document.spec.number;
    if (!isPair) return report(`P2: revision ${left.change.revision} (${left.key}) stands alone`);
  }
  for (const [key, entry] of state) {
    if (entry.change.key.kind !== kinds.pairs || !key.endsWith("left")) continue;
    const other = state.get(key.replace("left", "right"))?.document.spec.number;
    if (other !== entry.document.spec.number) report(`P2: ${key} and its other half differ`);
  }
}

function checkHosts({ base, entries }: ReplayedLog, report: Report): void {
  const holders = new Map<string, string>();
  const held = new Map<string, string>();
  for (const { change, key, document } of [...base, ...entries]) {
    if (change.key.kind !== kinds.hosts) continue;
    const before = held.get(key);
    if (before !== undefined) holders.delete(before);
    held.delete(key);
    const { host } = document.spec;
    if (change.type === "deleted" || host === undefined) continue;
    const other = holders.get(host);
    const at = change.revision;
    if (other !== undefined) report(`P4: ${host} is held by ${other} and ${key} at ${at}`);
    holders.set(host, key);
    held.set(key, host);
  }
}

function checkUses({ base, entries }: ReplayedLog, report: Report): void {
  const amounts = new Map<string, number>();
  let sum = 0;
  for (const { change, key, document } of [...base, ...entries]) {
    if (change.key.kind !== kinds.uses) continue;
    const before = amounts.get(key) ?? 0;
    const amount = change.type === "deleted" ? 0 : (document.spec.amount ?? 0);
    amounts.set(key, amount);
    sum += amount - before;
    // The base is one moment: its sum counts only once it is whole.
    if (entries[0] !== undefined && change.revision < entries[0].change.revision) continue;
    if (sum > quota.max && amount > before) {
      report(`P4: ${quota.counter} is ${sum} at revision ${change.revision}, above ${quota.max}`);
    }
  }
}

/** Tokens of one key only grow along the log, and none is good after its release. */
function checkTokens({ base, entries }: ReplayedLog, report: Report): void {
  const last = new Map<string, Entry>();
  for (const entry of [...base, ...entries]) {
    const { token } = entry.document.spec;
    if (token === undefined || entry.change.type === "deleted") continue;
    const before = last.get(entry.key);
    const beforeToken = before?.document.spec.token ?? 0;
    const at = `${entry.key} at revision ${entry.change.revision}`;
    if (token < beforeToken) report(`P5: ${at} was written with ${token} after ${beforeToken}`);
    if (token === beforeToken && before?.document.spec.releases === true) {
      report(`P5: ${at} was written with ${token}, which was released before`);
    }
    last.set(entry.key, entry);
  }
}

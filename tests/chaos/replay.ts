// The log as data: every change by its revision, and the state at any revision, made by replaying
// the changes one after the other. Replaying checks what each change says about the one it
// replaced.
import { keyText } from "../../src/kernel/resource.ts";
import type { Change } from "../../src/store/port.ts";
import { parseChaos } from "./documents.ts";
import type { ChaosDocument } from "./documents.ts";
import { digestText } from "./evidence.ts";

export interface Entry {
  readonly change: Change;
  readonly key: string;
  readonly digest: string;
  readonly document: ChaosDocument;
}

export interface ReplayedLog {
  readonly compacted: number;
  readonly head: number;
  /** What was current at the compaction mark. */
  readonly base: readonly Entry[];
  /** Everything after it, oldest first. */
  readonly entries: readonly Entry[];
  /** Base and entries together. */
  readonly byRevision: ReadonlyMap<number, Entry>;
  /** The state after the last change, by key. */
  readonly state: ReadonlyMap<string, Entry>;
}

export function replayedLog(
  compacted: number,
  base: readonly Change[],
  changes: readonly Change[],
  report: (finding: string) => void,
): ReplayedLog {
  const first = base.map(entryOf);
  const entries = changes.map(entryOf);
  const state = new Map(first.map((entry) => [entry.key, entry]));
  for (const entry of entries) {
    checkSuccession(state.get(entry.key), entry, report);
    if (entry.change.type === "deleted") state.delete(entry.key);
    else state.set(entry.key, entry);
  }
  const byRevision = new Map([...first, ...entries].map((entry) => [entry.change.revision, entry]));
  const head = entries.at(-1)?.change.revision ?? compacted;
  return { compacted, head, base: first, entries, byRevision, state };
}

/** The state at a revision that is not below the mark. */
export function stateAt(log: ReplayedLog, revision: number): ReadonlyMap<string, Entry> {
  const state = new Map(log.base.map((entry) => [entry.key, entry]));
  for (const entry of log.entries) {
    if (entry.change.revision > revision) break;
    if (entry.change.type === "deleted") state.delete(entry.key);
    else state.set(entry.key, entry);
  }
  return state;
}

function entryOf(change: Change): Entry {
  const { key, body } = change;
  return { change, key: keyText(key), digest: digestText(body), document: parseChaos(body) };
}

function checkSuccession(
  before: Entry | undefined,
  entry: Entry,
  report: (finding: string) => void,
): void {
  const { type, previous, revision, uid, terms, previousTerms } = entry.change;
  const at = `${entry.key} at revision ${revision}`;
  if (before === undefined) {
    if (type !== "created") report(`P6: ${type} ${at}, which did not exist`);
    if (previous !== undefined) report(`P6: ${at} replaced ${previous}, but nothing was there`);
    return;
  }
  if (type === "created") report(`P4: created ${at}, which existed at ${before.change.revision}`);
  if (previous !== before.change.revision) {
    report(`P6: ${at} says it replaced ${previous}, and it was ${before.change.revision}`);
  }
  if (uid !== before.change.uid) report(`P4: ${at} changed its identity in place`);
  const oldTerms = before.change.terms.join();
  const told = previousTerms?.join();
  const isSame = oldTerms === terms.join();
  if (type === "updated" && told !== (isSame ? undefined : oldTerms)) {
    report(`P6: ${at} tells the wrong previous terms`);
  }
}

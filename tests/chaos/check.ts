// After a crash: opens the store and holds it against what the writers were told. The method is to
// read the whole log once, replay it into a state of our own, and compare three accounts of the
// same history: the writers' evidence, the log, and what the store answers to reads. Each finding
// names the promise of port.ts that it breaks. An empty list is the only good answer.
import type { Change, Store } from "../../src/store/port.ts";
import { termsOfDocument } from "./actions.ts";
import { checkCalls } from "./check-calls.ts";
import { checkClaims } from "./check-claims.ts";
import { checkInvariants } from "./check-invariants.ts";
import { checkReads } from "./check-reads.ts";
import { kinds, parseChaos } from "./documents.ts";
import type { Ledger } from "./ledger.ts";
import { replayedLog } from "./replay.ts";
import type { ReplayedLog } from "./replay.ts";

export interface CheckOptions {
  /** Chooses which snapshots and keys are compared in full. */
  readonly seed: number;
}

export type Report = (finding: string) => void;

const maxFindings = 30;

export async function checkStore(
  store: Store,
  ledger: Ledger,
  options: CheckOptions,
): Promise<readonly string[]> {
  const findings: string[] = [];
  const report: Report = (finding) => {
    if (findings.length < maxFindings) findings.push(finding);
  };
  for (const problem of ledger.problems.slice(0, 10)) report(`a writer saw: ${problem}`);
  const log = await readLog(store, report);
  checkCalls(log, ledger, report);
  checkInvariants(log, report);
  await checkReads(store, log, options.seed, report);
  await checkClaims(store, log, ledger, report);
  for (const finding of await store.verify()) report(`verify: ${finding}`);
  // The claims above were writes too: what they left is read once more, from the beginning.
  const after = await readLog(store, report);
  if (after.head < log.head) report(`P1: the head went back from ${log.head} to ${after.head}`);
  return findings;
}

/** The state at the compaction mark, and every change after it, which must have no gap. */
async function readLog(store: Store, report: Report): Promise<ReplayedLog> {
  const { compacted } = await store.head();
  const base: Change[] = [];
  for (const kind of compacted === 0 ? [] : Object.values(kinds)) {
    base.push(...(await listAt(store, kind, compacted)));
  }
  const changes: Change[] = [];
  let position = compacted;
  for (;;) {
    const page = await store.changes(position, 500);
    for (const change of page.changes) {
      if (change.revision !== ++position) {
        report(`P3: revision ${change.revision} follows ${position - 1}`);
        position = change.revision;
      }
      changes.push(change);
    }
    if (position >= page.revision) break;
    if (page.changes.length === 0) {
      report(`P6: the log ends at ${position}, below its head ${page.revision}`);
      break;
    }
  }
  return replayedLog(compacted, base, changes, report);
}

/** What is current at the mark, as far as a list tells it: its own change may be gone. */
async function listAt(store: Store, kind: string, at: number): Promise<readonly Change[]> {
  const records: Change[] = [];
  for (let page = await store.list({ kind, at }); ;) {
    for (const { key, uid, revision, body } of page.records) {
      const terms = termsOfDocument(parseChaos(body));
      records.push({
        key,
        uid,
        revision,
        body,
        terms,
        type: "updated",
        previous: undefined,
        atMs: 0,
      });
    }
    if (page.next === undefined) return records;
    page = await store.list({ kind, from: page.next });
  }
}

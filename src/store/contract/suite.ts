/**
 * The conformance suite of the store: every sentence of port.ts as tests. The model (model.ts),
 * which is the contract as a program, runs it in contract.test.ts; each implementation runs it from
 * a test file of its own, and with it the comparison with the model on random commands:
 *
 *   storeContract("sqlite", openSqliteForTest, { several: false, sealed: true, bounded: true });
 *   randomContract("sqlite", openSqliteForTest, { runs: 15 });
 *
 * `open` gives a StoreHarness (harness.ts) on an empty store of its own each time it is called:
 *  - `store`, and `reopen({ keys? })`, which closes it and opens the same data again;
 *  - `advanceClock(ms)`, which moves the database's clock forward for every store on the data. The
 *    clock may also flow by itself; tests wait in whole minutes and allow for half of one;
 *  - `openAnother()` where several processes may share the data (trait `several`);
 *  - `rawBytes()`, all that is on disk, and key rings from the options (trait `sealed`);
 *  - `maxQueuedWrites` from the options (trait `bounded`).
 * Disposing of the harness closes every store it opened and removes the data.
 *
 * After each test `verify()` must find nothing.
 */
import { describe } from "node:test";
import { argumentsContract } from "./arguments.ts";
import { backupContract } from "./backup.ts";
import { causeContract } from "./cause.ts";
import { claimsContract } from "./claims.ts";
import { commitContract } from "./commit.ts";
import { compactionContract } from "./compaction.ts";
import { concurrencyContract } from "./concurrency.ts";
import { countersContract } from "./counters.ts";
import { erasureContract } from "./erasure.ts";
import { documentsContract } from "./documents.ts";
import { dueContract } from "./due.ts";
import { durabilityContract } from "./durability.ts";
import { fairnessContract } from "./fairness.ts";
import { groupsContract } from "./groups.ts";
import type { OpenStore, Traits } from "./harness.ts";
import { historyContract } from "./history.ts";
import { listContract } from "./list.ts";
import { namesContract } from "./names.ts";
import { secretsContract } from "./secrets.ts";
import { snapshotContract } from "./snapshot.ts";
import { workStateContract } from "./work-state.ts";

const themes: { readonly [theme: string]: (open: OpenStore, traits: Traits) => void } = {
  commit: commitContract,
  groups: groupsContract,
  names: namesContract,
  counters: countersContract,
  list: listContract,
  snapshot: snapshotContract,
  history: historyContract,
  cause: causeContract,
  compaction: compactionContract,
  due: dueContract,
  claims: claimsContract,
  work: workStateContract,
  fairness: fairnessContract,
  documents: documentsContract,
  secrets: secretsContract,
  erasure: erasureContract,
  concurrency: concurrencyContract,
  durability: durabilityContract,
  backup: backupContract,
  arguments: argumentsContract,
};

export function storeContract(name: string, open: OpenStore, traits: Traits): void {
  describe(`${name} keeps the store contract`, () => {
    for (const [theme, register] of Object.entries(themes)) {
      describe(theme, () => register(open, traits));
    }
  });
}

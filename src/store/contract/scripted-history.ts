/** A history with every kind of change, the same on each run, and what was true at each point. */
import assert from "node:assert/strict";
import type { Store, StoredRecord } from "../port.ts";
import { at, commit, del, draft, key, put } from "./samples.ts";
import type { Content } from "./samples.ts";

export interface RecordedState {
  /** All resources, in list order. */
  readonly records: readonly StoredRecord[];
  /** Those labelled app=web. */
  readonly web: readonly StoredRecord[];
}

/** Writes `length` changes; the result at index r is the state at revision r. */
export async function scriptedHistory(
  store: Store,
  length: number,
): Promise<readonly RecordedState[]> {
  const live = new Map<string, { readonly record: StoredRecord; readonly isWeb: boolean }>();
  const states: RecordedState[] = [{ records: [], web: [] }];
  for (let revision = 1; revision <= length; revision += 1) {
    // Strides that share no factor with the number of names visit them in a mixed order.
    const of = key(`n${(revision * 5) % 12}`, `team-${(revision * 5) % 3}`);
    const id = `${of.namespace}/${of.name}`;
    const old = live.get(id)?.record;
    const isWeb = revision % 5 < 2;
    const content: Content = { spec: revision, labels: { app: isWeb ? "web" : "db" } };
    if (old !== undefined && (revision * revision) % 11 < 4) {
      assert.equal(await commit(store, del(of, { when: at(old.revision) })), revision);
      live.delete(id);
    } else {
      const uid = old?.uid ?? `uid-${revision}`;
      const when = old === undefined ? ({ kind: "absent" } as const) : at(old.revision);
      assert.equal(await commit(store, put(of, { uid, when, content })), revision);
      const { body } = draft(of, content);
      live.set(id, { record: { key: of, uid, revision, body }, isWeb });
    }
    const sorted = [...live].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, entry]) => entry);
    states.push({
      records: sorted.map(({ record }) => record),
      web: sorted.flatMap(({ record, isWeb: matches }) => (matches ? [record] : [])),
    });
  }
  return states;
}

// The hot statements use their indexes. A SCAN of the log or of the resources would work in every
// other test and only show on the first large store.
import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { manualClock } from "../../kernel/clock.ts";
import type { ListQuery } from "../port.ts";
import { claimQueries } from "./claims.ts";
import {
  countedChanges,
  countedKind,
  lookThroughKind,
  walkReplaced,
  walkTerm,
  walkTerms,
} from "./list.ts";
import { packedRows, plainRows, sizesOf } from "./plain-list.ts";
import { readQueries } from "./reader.ts";
import { prepareFile } from "./schema.ts";
import { invariants, replacedTable } from "./verify.ts";
import { workQueries } from "./work-state.ts";

const first: ListQuery = { kind: "k" };
const next: ListQuery = { kind: "k", from: { revision: 1, namespace: "n", name: "a" } };
const inside: ListQuery = { kind: "k", namespace: "n" };
const nextInside: ListQuery = { ...next, namespace: "n" };

/** What may be sorted: old snapshots sort what was replaced since, which is not in order. */
const statements: { readonly [name: string]: { readonly sql: string; readonly sorts?: true } } = {
  ...Object.fromEntries(Object.entries(claimQueries).map(([name, sql]) => [name, { sql }])),
  ...Object.fromEntries(
    Object.entries(workQueries).flatMap(([name, queries]) =>
      [queries].flat().map((sql, index) => [`${name} ${index}`, { sql }]),
    ),
  ),
  ...Object.fromEntries(Object.entries(readQueries).map(([name, sql]) => [name, { sql }])),
  ...Object.fromEntries(
    [first, next, inside, nextInside].flatMap((query, index) => [
      [`plainRows ${index}`, plainRows(query)],
      [`packedRows ${index}`, packedRows(query)],
      [`sizesOf ${index}`, sizesOf(query)],
      [`lookThroughKind ${index}`, lookThroughKind(query)],
      [`countedKind ${index}`, countedKind(query)],
      [`countedChanges ${index}`, countedChanges(query, 1, "created")],
      [`walkTerm ${index}`, walkTerm(query, "t")],
      [`walkTerms ${index}`, walkTerms(query, ["t", "u"])],
      [`walkReplaced ${index}`, { ...walkReplaced(query, 1), sorts: true }],
    ]),
  ),
};

test("no hot statement scans a table or sorts what an index has in order", () => {
  const db = new DatabaseSync(":memory:");
  prepareFile(db, ":memory:", manualClock());
  for (const [name, { sql, sorts }] of Object.entries(statements)) {
    const plan = db.prepare(`EXPLAIN QUERY PLAN ${sql}`).all() as { readonly detail: string }[];
    const text = plan.map(({ detail }) => detail).join("\n");
    assert(!/SCAN (?!CONSTANT|\(subquery|json_each|walk\b)/.test(text), `${name}: ${text}`);
    assert(/SEARCH/.test(text), `${name}: ${text}`);
    if (sorts !== true) assert(!/TEMP B-TREE/.test(text), `${name}: ${text}`);
  }
  db.close();
});

test("no invariant looks through a table or a list again for each row", () => {
  const db = new DatabaseSync(":memory:");
  prepareFile(db, ":memory:", manualClock());
  db.exec(replacedTable);
  for (const sql of invariants) {
    const plan = db.prepare(`EXPLAIN QUERY PLAN ${sql}`).all() as unknown as readonly PlanStep[];
    const repeated = plan.filter(({ detail }) => detail.startsWith("CORRELATED"));
    for (const { id } of repeated) {
      const steps = plan.filter(({ parent }) => parent === id);
      const scans = steps.filter(({ detail }) => detail.startsWith("SCAN"));
      assert.deepEqual(scans, [], sql);
    }
  }
  db.close();
});

interface PlanStep {
  readonly id: number;
  readonly parent: number;
  readonly detail: string;
}

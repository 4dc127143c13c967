/** Everything that can be read of two stores, compared. Times are left out: each has its own. */
import assert from "node:assert/strict";
import { keyText } from "../../kernel/resource.ts";
import type { Change, DumpRow, Store } from "../port.ts";
import { counters, keys, kinds, uniqueNames } from "./random-commands.ts";
import { allRows, changesAfter, listAll } from "./samples.ts";

/** A change without its time. */
export function readChange(change: Change): Change {
  return { ...change, atMs: 0 };
}

interface Compared {
  /** Not what a secondary lacks: due times, and tokens. */
  readonly isSecondary?: boolean;
}

export async function assertSameState(
  actual: Store,
  expected: Store,
  { isSecondary = false }: Compared = {},
): Promise<void> {
  const head = await expected.head();
  assert.deepEqual(await actual.head(), head);
  const [log, modelLog] = [actual, expected].map(async (store) => {
    return (await changesAfter(store, head.compacted)).map(readChange);
  });
  assert.deepEqual(await log, await modelLog, "changes");
  for (const kind of kinds) {
    for (let at = head.compacted; at <= head.revision; at += 1) {
      const query = { kind, at };
      assert.deepEqual(await listAll(actual, query), await listAll(expected, query), `at ${at}`);
    }
    assert.deepEqual(await listAll(actual, { kind }), await listAll(expected, { kind }), "now");
  }
  assert.deepEqual(await actual.getMany(keys), await expected.getMany(keys));
  for (const key of keys) {
    const [history, modelHistory] = [await actual.history(key), await expected.history(key)];
    assert.deepEqual(history.map(readChange), modelHistory.map(readChange), keyText(key));
  }
  for (const name of uniqueNames) {
    assert.deepEqual(await actual.nameHolder(name), await expected.nameHolder(name));
  }
  for (const counter of counters) {
    assert.deepEqual(await actual.counter(counter), await expected.counter(counter));
  }
  const [stats, modelStats] = [await actual.stats(), await expected.stats()];
  assert.equal(stats.resources, modelStats.resources);
  assert.equal(stats.changes, modelStats.changes);
  const [rows, modelRows] = [await allRows(actual), await allRows(expected)];
  if (isSecondary) {
    assert.deepEqual(rowTexts(rows), rowTexts(modelRows.filter(({ row }) => row !== "due")));
    return;
  }
  assert(lastToken(rows) >= lastToken(modelRows), "a restored store gives no token again");
  assert.deepEqual(rowTexts(rows), rowTexts(modelRows), "dump");
}

function lastToken([meta]: readonly DumpRow[]): number {
  return meta?.row === "meta" ? meta.lastToken : 0;
}

/** Rows without times, in an order that does not depend on the store. */
function rowTexts(rows: readonly DumpRow[]): readonly string[] {
  const [meta] = rows;
  const compacted = meta?.row === "meta" ? meta.compacted : 0;
  return rows.map((row) => rowText(row, compacted)).sort();
}

function rowText(row: DumpRow, compacted: number): string {
  // Tokens may be left out, and how many is the store's choice.
  if (row.row === "meta") return JSON.stringify(["meta", row.head, row.compacted]);
  if (row.row === "due") return JSON.stringify(["due", keyText(row.key), row.attempts]);
  if (row.row !== "change") {
    return JSON.stringify(Object.entries(row).sort(([a], [b]) => (a < b ? -1 : 1)));
  }
  const { revision, type, key, uid, terms, digest, document, cause } = row;
  // What the oldest kept change replaced is forgotten; a store may still know its number.
  const previous = revision > compacted ? row.previous : null;
  const bytes = document === null ? [] : [digest.toString("hex"), document.toString("utf8")];
  return JSON.stringify([revision, previous, type, keyText(key), uid, terms, cause, ...bytes]);
}

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { KindRows } from "./kind-rows.ts";
import { numberedPage } from "./numbered-page.ts";
import type { NumberedQuery, RowKey } from "./numbered-page.ts";
import type { OpenKind } from "./read-model.ts";
import type { Projection, Row } from "./row.ts";
import type { Scope } from "./scope.ts";

const everywhere: Scope = { namespace: undefined, isWhole: true, allows: () => true };
const byName: RowKey = { isDescending: false, textOf: ({ name }) => name };
const newestFirst: RowKey = { isDescending: true, textOf: ({ created }) => created };

function rowsInMemory(count: number): OpenKind {
  const projection = {
    rowOf: ({ key, uid, revision }: Parameters<Projection["rowOf"]>[0]): Row => ({
      ...key,
      uid,
      revision,
      created: `2026-01-${String(10 + (revision % 7))}T00:00:00Z`,
      generation: 1,
      state: "Stored",
      reason: "",
      labels: {},
      cells: [],
    }),
  } as Projection;
  const rows = new KindRows(projection);
  for (let at = 0; at < count; at += 1) {
    const key = { kind: "things", namespace: `team-${at % 3}`, name: `n${at}` };
    rows.put({ key, uid: key.name, revision: at + 1, body: Buffer.alloc(0) });
  }
  rows.complete();
  return { source: "memory", projection, revision: count, rows };
}

const noStore = {
  store: { list: () => assert.fail("not read"), head: () => assert.fail("not read") },
  live: { all: () => [] },
};

async function names(open: OpenKind, query: Partial<NumberedQuery>): Promise<readonly string[]> {
  const whole = { scope: everywhere, filter: () => true, tenant: "a" };
  const all = { ...whole, order: [byName], offset: 0, limit: 5 };
  const { rows } = await numberedPage(noStore, open, { ...all, ...query });
  return rows.map(({ name }) => name);
}

describe("a numbered page", () => {
  it("has the rows of its place in the order, and the total of the selection", async () => {
    const open = rowsInMemory(100);
    const filter = ({ name }: Row): boolean => name.endsWith("1");
    const query = { scope: everywhere, filter, tenant: "a", order: [byName] };
    const page = await numberedPage(noStore, open, { ...query, offset: 2, limit: 3 });
    assert.deepEqual(
      page.rows.map(({ name }) => name),
      ["n21", "n31", "n41"],
    );
    assert.equal(page.total, 10);
    assert.equal(page.revision, 100);
  });

  it("is empty behind the last row", async () => {
    assert.deepEqual(await names(rowsInMemory(10), { offset: 10 }), []);
    assert.deepEqual(await names(rowsInMemory(10), { offset: 8 }), ["n8", "n9"]);
    assert.deepEqual(await names(rowsInMemory(0), {}), []);
  });

  it("sorts by several keys, and equal rows by namespace and name", async () => {
    const first = await names(rowsInMemory(21), { order: [newestFirst, byName], limit: 4 });
    assert.deepEqual(first, ["n12", "n19", "n5", "n11"]);
    const equal = await names(rowsInMemory(9), { order: [], limit: 9 });
    assert.deepEqual(equal, ["n0", "n3", "n6", "n1", "n4", "n7", "n2", "n5", "n8"]);
  });

  it("shows the rows of the scope alone", async () => {
    const scope = { namespace: "team-1", isWhole: false, allows: (at: string) => at === "team-1" };
    assert.deepEqual(await names(rowsInMemory(10), { scope }), ["n1", "n4", "n7"]);
  });

  it("pages through a large kind without a gap and without a repetition", async () => {
    const open = rowsInMemory(21_000);
    const seen: string[] = [];
    for (let offset = 0; offset < 21_000; offset += 3_000) {
      seen.push(...(await names(open, { order: [newestFirst], offset, limit: 3_000 })));
    }
    assert.equal(new Set(seen).size, 21_000);
  });

  it("ends when its request is aborted", async () => {
    const signal = AbortSignal.abort();
    await assert.rejects(names(rowsInMemory(10), { signal }), { name: "AbortError" });
  });
});

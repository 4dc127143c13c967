import assert from "node:assert/strict";
import { describe, it } from "node:test";
import * as fc from "fast-check";
import type { JsonObject } from "../../kernel/json.ts";
import { limits } from "../../kernel/limits.ts";
import type { Authorizer } from "../auth/policy.ts";
import { fieldsOf } from "./fields.ts";
import { parseFilter } from "./filter.ts";
import { parseOrder } from "./order.ts";
import type { Place } from "./order.ts";
import { eachRow, pageOfRows } from "./query.ts";
import { openReadModel } from "./read-model.ts";
import type { ReadModel, ReadModelLimits } from "./read-model.ts";
import { projectionOf } from "./row.ts";
import type { Row } from "./row.ts";
import { sampleServed as served, sampleStore } from "./sample-kind.ts";
import type { SampleStore, SampleWrite } from "./sample-kind.ts";
import { requireScope, scopeOf } from "./scope.ts";

/** Its rows are those of the sample: the store of the tests has one kind. */
const otherServed = { ...served, id: "others.shop.example" };
const user = { name: "jane", groups: [], extra: {} };
const everything: Authorizer = { authorize: () => ({ allowed: true, reason: "" }) };
const only = (...allowed: readonly string[]): Authorizer => ({
  authorize: (_user, access) => ({
    allowed: access.kind === "resource" && allowed.includes(access.namespace),
    reason: "",
  }),
});

function modelOf(store: SampleStore, own: Partial<ReadModelLimits> = {}): ReadModel {
  const kinds = { byId: (id: string) => (id === served.id ? served : otherServed) };
  return openReadModel({ ...store, store, kinds, limits: { ...limits, ...own } });
}

interface Asked {
  readonly filter?: string;
  readonly sort?: string;
  readonly limit?: number;
  readonly authorizer?: Authorizer;
  readonly namespace?: string;
}

const live = { all: () => namespaces(["a", "b", "c"]) };

function* namespaces(given: readonly string[]): Generator<never> {
  for (const name of given) yield { key: { name } } as never;
}

/** All pages of a query, one after the other. */
async function all(store: SampleStore, model: ReadModel, asked: Asked = {}): Promise<Row[]> {
  const { filter = "", sort = "", limit = 2, authorizer = everything, namespace } = asked;
  const open = await model.open(served);
  const fields = fieldsOf(open.projection.columns);
  const order = parseOrder(sort, fields);
  const scope = scopeOf({ authorizer, user, served, namespace });
  const rows: Row[] = [];
  let after: Place | undefined;
  do {
    const query = { scope, filter: parseFilter(filter, fields), order, after, limit };
    const page = await pageOfRows({ store, live }, open, query);
    rows.push(...page.rows);
    after = page.next;
  } while (after !== undefined);
  return rows;
}

function names(rows: readonly Row[]): readonly string[] {
  return rows.map(({ namespace, name }) => `${namespace}/${name}`);
}

const spec = (storageGiB: number): JsonObject => ({ spec: { storageGiB, engine: "postgres" } });
const write = (namespace: string, name: string, content?: JsonObject): SampleWrite => ({
  namespace,
  name,
  content,
});

describe("the read model", () => {
  it("follows the changes of a kind after its first query", async () => {
    const store = sampleStore();
    using model = modelOf(store);
    store.write(write("a", "one", spec(1)));
    assert.deepEqual(names(await all(store, model)), ["a/one"]);
    const { lists } = store;
    store.write(write("b", "two", spec(2)));
    store.write(write("a", "one"));
    assert.deepEqual(names(await all(store, model)), ["b/two"]);
    assert.equal(store.lists, lists);
  });

  it("reads a kind that is too large from the store, and refuses to sort it", async () => {
    const store = sampleStore();
    using model = modelOf(store, { maxReadModelKindRows: 4 });
    for (let at = 0; at < 9; at++) store.write(write(at < 5 ? "a" : "b", `n${at}`, spec(at)));
    const found = await all(store, model, { filter: "columns.storage-gib>=3" });
    assert.deepEqual(names(found), ["a/n3", "a/n4", "b/n5", "b/n6", "b/n7", "b/n8"]);
    const restricted = await all(store, model, { authorizer: only("b") });
    assert.deepEqual(names(restricted), ["b/n5", "b/n6", "b/n7", "b/n8"]);
    await assert.rejects(all(store, model, { sort: "-created" }), { code: "request.invalid" });
  });

  it("pauses after each page, when it loads a kind and when it scans the store", async () => {
    const store = sampleStore();
    for (let at = 0; at < 9; at++) store.write(write("a", `n${at}`, spec(at)));
    const bytes = [...store.records.values()].reduce((sum, { body }) => sum + body.length, 0);
    const paused: number[] = [];
    const pauses = (each: number): Promise<void> => {
      paused.push(each);
      return Promise.resolve();
    };
    const total = (): number => paused.reduce((sum, each) => sum + each, 0);
    using model = modelOf(store);
    const loaded = await model.open(served, { pauses });
    assert.equal(loaded.source, "memory");
    assert.deepEqual([paused.length, total()], [3, bytes]);
    using small = modelOf(store, { maxReadModelKindRows: 1 });
    const open = await small.open(served);
    const scope = scopeOf({ authorizer: everything, user, served, namespace: undefined });
    paused.length = 0;
    await eachRow({ store, live }, open, scope, () => undefined, { pauses });
    assert.deepEqual([paused.length, total()], [3, bytes]);
  });

  it("drops a kind that grows too large, and loads it again later", async () => {
    const store = sampleStore();
    using model = modelOf(store, { maxReadModelKindRows: 2 });
    store.write(write("a", "n1", spec(1)));
    assert.equal((await model.open(served)).source, "memory");
    store.write(write("a", "n2", spec(1)));
    store.write(write("a", "n3", spec(1)));
    assert.equal((await model.open(served)).source, "store");
    store.write(write("a", "n3"));
    assert.equal((await model.open(served)).source, "store");
    store.clock.advanceMs(limits.readModelRetryMs);
    assert.equal((await model.open(served)).source, "memory");
  });

  it("drops the kind that was used longest ago when all kinds together are too large", async () => {
    const store = sampleStore();
    for (const name of ["1", "2", "3"]) store.write(write("a", name, spec(1)));
    using model = modelOf(store, { maxReadModelRows: 6 });
    const sourceOf = async (kind: typeof served): Promise<number> => {
      const before = store.lists;
      assert.equal((await model.open(kind)).source, "memory");
      return store.lists - before;
    };
    assert.equal(await sourceOf(served), 1);
    store.clock.advanceMs(1);
    assert.equal(await sourceOf(otherServed), 1);
    assert.equal(await sourceOf(served), 0, "both fit");
    store.clock.advanceMs(1);
    assert.equal(await sourceOf(otherServed), 0, "both fit");
    // A change of the kind that is read more often: the other one has to make room.
    store.write(write("a", "4", spec(1)));
    assert.equal(await sourceOf(otherServed), 0);
    assert.equal(await sourceOf(served), 2, "it was dropped by the growth");
  });

  it("drops a kind that no query uses", async () => {
    const store = sampleStore();
    using model = modelOf(store);
    await model.open(served);
    const { lists } = store;
    store.clock.advanceMs(limits.readModelIdleMs + 1);
    store.write(write("a", "n1", spec(1)));
    await model.open(served);
    assert.equal(store.lists, lists + 1);
  });

  it("refuses a revision that is not reached in time", async () => {
    const store = sampleStore();
    using model = modelOf(store);
    const asked = model.open(served, { atLeast: 10 });
    const refused = assert.rejects(asked, { code: "revision.future" });
    await Promise.resolve();
    await store.timers.advance(limits.futureRevisionWaitMs);
    await refused;
  });

  it("counts only what the caller may list", async () => {
    const store = sampleStore();
    using model = modelOf(store);
    for (const namespace of ["a", "b", "c"]) store.write(write(namespace, "x", spec(1)));
    const open = await model.open(served);
    const scope = scopeOf({ authorizer: only("a", "c"), user, served });
    const seen: Row[] = [];
    await eachRow({ store, live }, open, scope, (row) => seen.push(row));
    assert.deepEqual(names(seen), ["a/x", "c/x"]);
    const input = { authorizer: only("a"), user, served, namespace: "b" };
    assert.throws(() => requireScope(input, scopeOf(input)), { code: "request.forbidden" });
  });
});

describe("a row", () => {
  it("has the printer columns of its kind, and no secrets", () => {
    const store = sampleStore();
    const content = {
      spec: { storageGiB: 5, engine: "x".repeat(500), password: "hunter2" },
      data: { token: "hunter2" },
    };
    store.write(write("a", "one", content));
    const [record] = store.records.values();
    assert.ok(record !== undefined);
    const projection = projectionOf(served);
    const row = projection.rowOf(record);
    const keys = projection.columns.map(({ key }) => key);
    assert.deepEqual(keys, ["storage-gib", "engine", "password", "token"]);
    const engine = "x".repeat(limits.maxReadModelTextChars);
    assert.deepEqual(row.cells, [5, engine, null, null]);
    assert.ok(!JSON.stringify(row).includes("hunter2"));
  });
});

/** The same query, written as plainly as possible. */
function naive(store: SampleStore, { filter, sort }: { filter: number; sort: string }): string[] {
  const projection = projectionOf(served);
  const rows = [...store.records.values()].map((record) => projection.rowOf(record));
  const wanted = rows.filter(({ cells }) => typeof cells[0] === "number" && cells[0] >= filter);
  const sizeOf = ({ cells }: Row): number => Number(cells[0]);
  const byName = (one: Row, other: Row): number =>
    `${one.namespace}/${one.name}` < `${other.namespace}/${other.name}` ? -1 : 1;
  wanted.sort((one, other) => {
    const sign = sort.startsWith("-") ? -1 : 1;
    const bySize = sort === "" ? 0 : sign * (sizeOf(one) - sizeOf(other));
    return bySize === 0 ? byName(one, other) : bySize;
  });
  return wanted.map(({ namespace, name }) => `${namespace}/${name}`);
}

describe("queries of the read model", () => {
  const anyWrite = fc.record({
    namespace: fc.constantFrom("a", "b", "c"),
    name: fc.constantFrom("n1", "n2", "n3", "n4", "n5"),
    content: fc.option(fc.nat(4).map(spec), { nil: undefined }),
  });
  const anySort = fc.constantFrom("", "columns.storage-gib", "-columns.storage-gib");

  it("answer as a naive model does, also with writes during the load", async () => {
    const property = fc.asyncProperty(
      fc.array(anyWrite, { maxLength: 30 }),
      fc.array(anyWrite, { maxLength: 20 }),
      fc.array(anyWrite, { maxLength: 20 }),
      fc.nat(5),
      anySort,
      async (before, during, later, filter, sort) => {
        const store = sampleStore();
        using model = modelOf(store);
        for (const each of before) store.write(each);
        const pending = [...during];
        store.betweenPages = () => {
          const next = pending.shift();
          if (next !== undefined) store.write(next);
        };
        await model.open(served);
        store.betweenPages = () => undefined;
        for (const each of later) store.write(each);
        const asked = { filter: `columns.storage-gib>=${filter}`, sort };
        const found = names(await all(store, model, asked));
        assert.deepEqual(found, naive(store, { filter, sort }));
      },
    );
    await fc.assert(property, { numRuns: 200 });
  });
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { decodeDocument } from "../../kernel/document.ts";
import { limits } from "../../kernel/limits.ts";
import type { Resource, ResourceKey } from "../../kernel/resource.ts";
import type { Store, StoredRecord } from "../../store/port.ts";
import {
  dueIn,
  gadgets,
  keyTo,
  newWorld,
  openScope,
  processOn,
  regions,
  release,
  remove,
  resources,
  write,
} from "../../../tests/engine/sample-run.ts";
import type { World } from "../../../tests/engine/sample-run.ts";
import { journalOf } from "./journal.ts";
import { done, failed, waiting } from "../outcome.ts";
import type { Outcome } from "../outcome.ts";
import type { ReferencePorts, RunReferences } from "./references.ts";
import { referencesOf } from "./references.ts";
import { systemCause } from "../../kernel/cause.ts";

const a = keyTo("a");
const b = keyTo("b", gadgets);
const c = keyTo("c", gadgets);

interface Run {
  readonly outcome?: Outcome;
  readonly look?: readonly ResourceKey[];
  /** Happens after the looks. */
  readonly meanwhile?: () => Promise<unknown>;
}

async function ready(): Promise<World> {
  const world = newWorld();
  await write(world.store, a, { dueMs: 0 });
  await write(world.store, b);
  return world;
}

/** A whole run, from claim to release; the resource must be due. */
async function runOnce(store: Store, { outcome = done(), look = [], meanwhile }: Run) {
  const scope = await openScope(store, a);
  const journal = journalOf(scope, store);
  const references: RunReferences = referencesOf({ scope, journal, store, resources });
  for (const key of look) await references.get(key);
  await meanwhile?.();
  await references.settle(outcome);
  await release(scope);
}

async function again(world: World, run: Run): Promise<void> {
  await write(world.store, a, { dueMs: 0 });
  await runOnce(world.store, run);
}

async function storedNames(store: Store): Promise<readonly string[]> {
  const scope = {
    key: a,
    uid: "uid-widgets.test-a",
    cause: systemCause,
    commit: () => Promise.resolve([]),
  };
  return (await journalOf(scope, store).read()).references.map(({ name }) => name);
}

test("a reference gives the resource as it is stored, or nothing", async () => {
  const { store } = await ready();
  const revision = await write(store, b, { spec: { size: 3 } });
  const scope = await openScope(store, a);
  const references = referencesOf({ scope, journal: journalOf(scope, store), store, resources });
  const found = await references.get({ kind: gadgets, name: "b" });
  assert.deepEqual(found?.spec, { size: 3 });
  assert.equal(found.metadata.resourceVersion, String(revision));
  assert.equal(await references.get({ kind: gadgets, name: "none" }), undefined);
  assert.equal(await references.get({ kind: gadgets, namespace: "other", name: "b" }), undefined);
});

test("a reference gives the storage version, whichever the stored one is", async () => {
  const { store } = await ready();
  const scope = await openScope(store, a);
  const read = (record: StoredRecord): Resource => {
    const old = decodeDocument(record.body, record.revision);
    return { ...old, apiVersion: "test/v2" };
  };
  const journal = journalOf(scope, store);
  const references = referencesOf({ scope, journal, store, resources: { ...resources, read } });
  assert.equal((await references.get({ kind: gadgets, name: "b" }))?.apiVersion, "test/v2");
});

test("what is of cluster scope is found without a namespace", async () => {
  const { store } = await ready();
  await write(store, keyTo("north", regions));
  const scope = await openScope(store, a);
  const references = referencesOf({ scope, journal: journalOf(scope, store), store, resources });
  assert.notEqual(await references.get({ kind: regions, name: "north" }), undefined);
});

test("references are stored before the run ends, present or not", async () => {
  const { store } = await ready();
  await runOnce(store, { look: [c, b] });
  assert.deepEqual(await storedNames(store), ["b", "c"]);
});

test("a run that looks at nothing stores nothing, where nothing was stored", async () => {
  const { store } = await ready();
  const { revision } = await store.head();
  await runOnce(store, {});
  assert.equal((await store.head()).revision, revision);
});

test("who waited and then does not look at anything is not woken any more", async () => {
  const world = await ready();
  await runOnce(world.store, { outcome: waiting({ kind: gadgets, name: "none" }) });
  assert.deepEqual(await storedNames(world.store), ["none"]);
  await again(world, {});
  assert.deepEqual(await storedNames(world.store), []);
});

test("a reference is given in the storage version of its kind", async () => {
  const { store } = await ready();
  const scope = await openScope(store, a);
  const converting: ReferencePorts["resources"] = {
    ...resources,
    read: ({ body, revision }) => ({ ...decodeDocument(body, revision), apiVersion: "test/v2" }),
  };
  const journal = journalOf(scope, store);
  const references = referencesOf({ scope, journal, store, resources: converting });
  const found = await references.get({ kind: gadgets, name: "b" });
  assert.equal(found?.apiVersion, "test/v2");
});

test("a reference to a kind that is not served is refused, with a hint", async () => {
  const { store } = await ready();
  const scope = await openScope(store, a);
  const unserved = { ...resources, isNamespaced: () => undefined };
  const journal = journalOf(scope, store);
  const references = referencesOf({ scope, journal, store, resources: unserved });
  const looking = references.get({ kind: "ConfigMap", name: "b" });
  await assert.rejects(looking, /no kind "ConfigMap" is served; kinds are named PLURAL.GROUP/);
});

test("the same references again cost one read of the journal and no write", async () => {
  const world = await ready();
  await runOnce(world.store, { look: [b] });
  await write(world.store, a, { dueMs: 0 });
  const before = await world.store.head();
  const scope = await openScope(world.store, a);
  const process = processOn(world.store);
  const journal = journalOf(scope, process.store);
  const references = referencesOf({ scope, journal, store: process.store, resources });
  await references.get(b);
  await references.settle(done());
  assert.equal(process.calls(), 2);
  assert.deepEqual(await world.store.head(), before);
});

test("a change between the look and the record of it repeats the run", async () => {
  for (const change of [
    (store: Store) => write(store, b, { spec: { changed: true } }),
    (store: Store) => remove(store, b),
    (store: Store) => write(store, c),
  ]) {
    const world = await ready();
    await runOnce(world.store, { look: [b, c], meanwhile: () => change(world.store) });
    assert.equal(dueIn(world, a), 0);
  }
});

test("what is only told, of a kind where that concerns nobody, repeats nothing", async () => {
  for (const [parts, dueMs] of [
    [{ status: { told: true } }, undefined],
    [{ generation: 2 }, 0],
  ] as const) {
    const { store, ...world } = await ready();
    const scope = await openScope(store, a);
    const journal = journalOf(scope, store);
    const quiet = { ...resources, quietKinds: [gadgets] };
    const references = referencesOf({ scope, journal, store, resources: quiet });
    await references.get(b);
    await write(store, b, parts);
    await references.settle(done());
    await release(scope);
    assert.equal(dueIn({ store, ...world }, a), dueMs);
  }
});

test("a change after the record is left to the follower of the log", async () => {
  const world = await ready();
  await runOnce(world.store, { look: [b, c] });
  await again(world, { look: [b, c], meanwhile: () => write(world.store, b, { spec: 1 }) });
  assert.equal(dueIn(world, a), undefined);
});

test("the first of two different looks counts", async () => {
  const world = await ready();
  const scope = await openScope(world.store, a);
  const journal = journalOf(scope, world.store);
  const references = referencesOf({ scope, journal, store: world.store, resources });
  await references.get(b);
  await write(world.store, b, { spec: { changed: true } });
  await references.get(b);
  await references.settle(done());
  await release(scope);
  assert.equal(dueIn(world, a), 0);
});

test("what is not looked at any more is forgotten, unless the run failed", async () => {
  const world = await ready();
  await runOnce(world.store, { look: [b, c] });
  await again(world, { look: [c], outcome: failed("Down", "") });
  assert.deepEqual(await storedNames(world.store), ["b", "c"]);
  await again(world, { look: [c] });
  assert.deepEqual(await storedNames(world.store), ["c"]);
});

test("who waits refers to what it waits for", async () => {
  const world = await ready();
  const on = { kind: gadgets, name: "c" };
  await runOnce(world.store, { outcome: waiting(on) });
  assert.deepEqual(await storedNames(world.store), ["c"]);
  assert.equal(dueIn(world, a), undefined);
});

test("who waits for what is already there is run again, once", async () => {
  const world = await ready();
  const outcome = waiting({ kind: gadgets, name: "b", condition: "Ready" });
  await runOnce(world.store, { outcome });
  assert.equal(dueIn(world, a), undefined);

  const other = await ready();
  const status = { conditions: [{ type: "Ready", status: "True" }] };
  await write(other.store, b, { status });
  await runOnce(other.store, { outcome });
  assert.equal(dueIn(other, a), 0);
  await runOnce(other.store, { outcome });
  assert.equal(dueIn(other, a), undefined);
});

test("a wait that was over before the look at its blocker repeats the run once", async () => {
  const world = await ready();
  const status = { conditions: [{ type: "Ready", status: "True" }] };
  await write(world.store, b, { status });
  for (const on of [
    // Removed, or ready, since the list that made the run wait, and before the look.
    { kind: gadgets, name: "c", isThere: true },
    { kind: gadgets, name: "b", condition: "Ready" },
  ]) {
    await again(world, {});
    const run: Run = { outcome: waiting(on), look: [keyTo(on.name, gadgets)] };
    await again(world, run);
    assert.equal(dueIn(world, a), 0, on.name);
    await runOnce(world.store, run);
    assert.equal(dueIn(world, a), undefined, on.name);
  }
});

test("who waits for one to go is run again when it went before its reference", async () => {
  const { store, ...world } = await ready();
  await runOnce(store, { outcome: waiting({ kind: gadgets, name: "c", isThere: true }) });
  assert.equal(dueIn({ store, ...world }, a), 0);
});

test("a wait for what is there and unfit does not repeat a run that looked at it", async () => {
  const world = await ready();
  const outcome = waiting({ kind: gadgets, name: "b", isThere: true });
  await runOnce(world.store, { outcome, look: [b] });
  assert.equal(dueIn(world, a), undefined);
});

test("a resource that looks at itself does not wake itself", async () => {
  const world = await ready();
  await runOnce(world.store, { look: [a] });
  assert.deepEqual(await storedNames(world.store), []);
});

test("the number of references is bounded", async () => {
  const { store } = await ready();
  const scope = await openScope(store, a);
  const references = referencesOf({ scope, journal: journalOf(scope, store), store, resources });
  const names = Array.from({ length: limits.maxReferences }, (_, index) => `n${index}`);
  for (const name of names) await references.get({ kind: gadgets, name });
  await references.get({ kind: gadgets, name: "n0" });
  await assert.rejects(references.get({ kind: gadgets, name: "more" }), /refers to more than/);
});

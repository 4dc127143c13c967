import assert from "node:assert/strict";
import { test } from "node:test";
import { manualClock } from "../../../kernel/clock.ts";
import { manualTimers } from "../../../kernel/manual-timers.ts";
import type { ResourceKey } from "../../../kernel/resource.ts";
import { AwaitedChanges } from "./awaited-changes.ts";
import type { SeenChange } from "./awaited-changes.ts";

const key: ResourceKey = { kind: "ovens.tests.dev", namespace: "sub-1", name: "one" };

function changed(other: Partial<ResourceKey> = {}): SeenChange {
  const body = Buffer.from("{}");
  return { key: { ...key, ...other }, type: "updated", uid: "u", revision: 2, previous: 1, body };
}

function begun(): { awaited: AwaitedChanges; timers: ReturnType<typeof manualTimers> } {
  const timers = manualTimers(manualClock());
  return { timers, awaited: new AwaitedChanges(timers) };
}

const itself = (seen: SeenChange): SeenChange => seen;

test("a change ends the wait at once, and leaves no timer", async () => {
  const { awaited, timers } = begun();
  using change = awaited.begin(key) ?? assert.fail("there is room");
  const told = change.within(100, itself);
  const seen = changed();
  awaited.changed(seen);
  assert.equal(await told, seen);
  assert.equal(timers.pendingCount(), 0);
});

test("a change between the begin and the wait counts", async () => {
  const { awaited, timers } = begun();
  using change = awaited.begin(key) ?? assert.fail("there is room");
  awaited.changed(changed());
  const last = changed();
  awaited.changed(last);
  assert.equal(await change.within(100, (seen) => (seen === last ? seen : undefined)), last);
  assert.equal(timers.pendingCount(), 0);
});

test("without one the wait ends after its time, whatever else changes", async () => {
  const { awaited, timers } = begun();
  using change = awaited.begin(key) ?? assert.fail("there is room");
  const told = change.within(100, itself);
  awaited.changed(changed({ namespace: "sub-2" }));
  awaited.changed(changed({ kind: "pans.tests.dev" }));
  awaited.changed(changed({ name: "two" }));
  await timers.advance(100);
  assert.equal(await told, undefined);
});

test("each change is looked at in its order until something is found", async () => {
  const { awaited, timers } = begun();
  using change = awaited.begin(key) ?? assert.fail("there is room");
  const seen: number[] = [];
  awaited.changed({ ...changed(), revision: 2 });
  const found = change.within(100, ({ revision }) => {
    seen.push(revision);
    return revision === 4 ? "four" : undefined;
  });
  for (const revision of [3, 4, 5]) awaited.changed({ ...changed(), revision });
  assert.equal(await found, "four");
  assert.deepEqual(seen.slice(0, 3), [2, 3, 4]);
  assert.equal(timers.pendingCount(), 0);
});

test("changes do not make the wait longer", async () => {
  const { awaited, timers } = begun();
  using change = awaited.begin(key) ?? assert.fail("there is room");
  const found = change.within(100, () => undefined);
  for (let times = 0; times < 5; times += 1) {
    await timers.advance(20);
    awaited.changed(changed());
  }
  assert.equal(await found, undefined);
});

test("a look that fails is told to who waits, and to nobody else", async () => {
  const { awaited, timers } = begun();
  using change = awaited.begin(key) ?? assert.fail("there is room");
  const found = change.within(100, () => {
    throw new Error("unreadable");
  });
  awaited.changed(changed());
  await assert.rejects(found, /unreadable/);
  assert.equal(timers.pendingCount(), 0);
});

test("who is gone waits no longer, and leaves the place to others", async () => {
  const { awaited, timers } = begun();
  const change = awaited.begin(key) ?? assert.fail("there is room");
  const found = change.within(100, itself);
  change[Symbol.dispose]();
  assert.equal(await found, undefined);
  assert.equal(timers.pendingCount(), 0);
});

test("no more wait at once than are in nobody's way", () => {
  const { awaited } = begun();
  const waits = Array.from({ length: 100 }, () => awaited.begin(key));
  assert.ok(waits.every((wait) => wait !== undefined));
  assert.equal(awaited.begin(key), undefined);
  waits[0]?.[Symbol.dispose]();
  waits[0]?.[Symbol.dispose]();
  assert.notEqual(awaited.begin({ ...key, name: "two" }), undefined);
  assert.equal(awaited.begin(key), undefined);
});

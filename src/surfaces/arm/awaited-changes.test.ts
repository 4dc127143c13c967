import assert from "node:assert/strict";
import { test } from "node:test";
import { manualClock } from "../../kernel/clock.ts";
import { manualTimers } from "../../kernel/manual-timers.ts";
import type { ResourceKey } from "../../kernel/resource.ts";
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

test("a change ends the wait at once, and leaves no timer", async () => {
  const { awaited, timers } = begun();
  using change = awaited.begin(key) ?? assert.fail("there is room");
  const told = change.within(100);
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
  assert.equal(await change.within(100), last);
  assert.equal(timers.pendingCount(), 0);
});

test("without one the wait ends after its time, whatever else changes", async () => {
  const { awaited, timers } = begun();
  using change = awaited.begin(key) ?? assert.fail("there is room");
  const told = change.within(100);
  awaited.changed(changed({ namespace: "sub-2" }));
  awaited.changed(changed({ kind: "pans.tests.dev" }));
  awaited.changed(changed({ name: "two" }));
  await timers.advance(100);
  assert.equal(await told, undefined);
});

test("what is not newer than a revision is not waited for, however often it is told", async () => {
  const { awaited, timers } = begun();
  using change = awaited.begin(key) ?? assert.fail("there is room");
  awaited.changed({ ...changed(), revision: 2 });
  const next = change.within(100, 2);
  awaited.changed({ ...changed(), revision: 2 });
  await timers.advance(50);
  const newer = { ...changed(), revision: 3 };
  awaited.changed(newer);
  assert.equal(await next, newer);
  const last = change.within(100, 3);
  await timers.advance(100);
  assert.equal(await last, undefined);
  assert.equal(await change.within(0, 3), undefined);
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

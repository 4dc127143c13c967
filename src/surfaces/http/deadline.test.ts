import assert from "node:assert/strict";
import { test } from "node:test";
import { manualClock } from "../../kernel/clock.ts";
import { isSetpointError } from "../../kernel/errors.ts";
import { manualTimers } from "../../kernel/manual-timers.ts";
import { Deadlines } from "./deadline.ts";

const withinMs = 55_000;

function surroundings() {
  const timers = manualTimers(manualClock());
  const over: unknown[] = [];
  const deadlines = new Deadlines(timers, withinMs);
  const request = { overdue: (error: unknown) => void over.push(error) };
  return { timers, over, begin: () => deadlines.begin(request) };
}

test("requests that are answered in time leave no timer behind", async () => {
  const { timers, over, begin } = surroundings();
  const [one, other] = [begin(), begin()];
  await timers.advance(withinMs - 1);
  assert.equal(one.met(), true);
  assert.equal(timers.pendingCount(), 1);
  assert.equal(other.met(), true);
  assert.equal(timers.pendingCount(), 0);
  assert.equal(one.met(), true, "it stays met");
  await timers.advance(withinMs);
  assert.deepEqual(over, []);
});

test("an overdue request is notified once, with request.timeout", async () => {
  const { timers, over, begin } = surroundings();
  const [late, early, later] = [begin(), begin(), begin()];
  early.met();
  await timers.advance(withinMs);
  assert.equal(over.length, 2);
  assert.deepEqual([late.met(), early.met(), later.met()], [false, true, false]);
  assert.ok(isSetpointError(over[0], "request.timeout"));
  assert.match(
    over[0].message,
    /^The request was not answered within 55 seconds\. It may have taken effect/,
  );
  assert.equal(timers.pendingCount(), 0);
});

test("a request that arrives after all others were answered has its whole time", async () => {
  const { timers, over, begin } = surroundings();
  begin().met();
  await timers.advance(withinMs - 1);
  begin();
  await timers.advance(withinMs - 1);
  assert.deepEqual(over, []);
  await timers.advance(1);
  assert.equal(over.length, 1);
});

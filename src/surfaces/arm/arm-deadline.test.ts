import assert from "node:assert/strict";
import { test } from "node:test";
import { manualClock } from "../../kernel/clock.ts";
import { manualTimers } from "../../kernel/manual-timers.ts";
import { answerWithinMs, Deadlines } from "./arm-deadline.ts";
import { armErrorAnswer } from "./arm-error.ts";

function surroundings() {
  const timers = manualTimers(manualClock());
  const over: unknown[] = [];
  const deadlines = new Deadlines(timers);
  return { timers, over, begin: () => deadlines.begin((error) => over.push(error)) };
}

test("a minute is not over before the answer", () => {
  assert.ok(answerWithinMs < 60_000);
});

test("what is answered in time leaves no timer behind, however many came together", async () => {
  const { timers, over, begin } = surroundings();
  const [one, other] = [begin(), begin()];
  await timers.advance(answerWithinMs - 1);
  assert.equal(one.met(), true);
  assert.equal(timers.pendingCount(), 1);
  assert.equal(other.met(), true);
  assert.equal(timers.pendingCount(), 0);
  assert.equal(one.met(), true, "it stays met");
  await timers.advance(answerWithinMs);
  assert.deepEqual(over, []);
});

test("what takes longer is told so once, in the envelope of the protocol", async () => {
  const { timers, over, begin } = surroundings();
  const [late, early, later] = [begin(), begin(), begin()];
  early.met();
  await timers.advance(answerWithinMs);
  assert.equal(over.length, 2);
  assert.deepEqual([late.met(), early.met(), later.met()], [false, true, false]);
  const { status, body } = armErrorAnswer(over[0]);
  assert.equal(status, 504);
  assert.match(JSON.stringify(body), /"code":"GatewayTimeout","message":"The request was not/);
  assert.equal(timers.pendingCount(), 0);
});

test("whoever comes after all others were answered waits as long as they", async () => {
  const { timers, over, begin } = surroundings();
  begin().met();
  await timers.advance(answerWithinMs - 1);
  begin();
  await timers.advance(answerWithinMs - 1);
  assert.deepEqual(over, []);
  await timers.advance(1);
  assert.equal(over.length, 1);
});

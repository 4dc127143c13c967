import assert from "node:assert/strict";
import { test } from "node:test";
import { manualClock } from "../../kernel/clock.ts";
import { Reach } from "./reach.ts";

test("a short absence is waited for, a long one is known, and its end is the end of it", () => {
  const clock = manualClock(0);
  const reach = new Reach(clock);
  assert.equal(reach.patienceMs(10_000), 10_000);
  reach.failed();
  clock.advanceMs(9_999);
  reach.failed();
  assert.equal(reach.patienceMs(10_000), 10_000);
  clock.advanceMs(1);
  assert.equal(reach.patienceMs(10_000), 1_000);
  assert.equal(reach.patienceMs(500), 500);
  assert.equal(reach.wasReached, false);
  reach.answered();
  assert.equal(reach.patienceMs(10_000), 10_000);
  assert.equal(reach.wasReached, true);
});

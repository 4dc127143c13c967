import assert from "node:assert/strict";
import { test } from "node:test";
import { Pace } from "./pace.ts";

test("five answers within 20 ms are a burst, and so is each that follows as closely", () => {
  const pace = new Pace();
  const answers = [0, 4, 8, 12, 16, 20, 25].map((atMs) => pace.answered(atMs));
  assert.deepEqual(answers, [false, false, false, false, true, true, true]);
});

test("answers that come one by one are none", () => {
  const pace = new Pace();
  assert.ok([0, 5, 10, 15, 20, 25, 30].every((atMs) => !pace.answered(atMs)));
});

test("a pause ends it", () => {
  const pace = new Pace();
  for (const atMs of [0, 1, 2, 3, 4]) pace.answered(atMs);
  assert.deepEqual(
    [100, 101, 102, 103, 104].map((atMs) => pace.answered(atMs)),
    [false, false, false, false, true],
  );
});

test("a burst goes on until the last five are not within 40 ms of now", () => {
  const pace = new Pace();
  assert.equal(pace.isBurst(0), false);
  for (const atMs of [0, 1, 2, 3, 4]) pace.answered(atMs);
  assert.deepEqual([pace.isBurst(4), pace.isBurst(39), pace.isBurst(40)], [true, true, false]);
  for (const atMs of [48, 56, 64, 72, 80]) assert.equal(pace.answered(atMs), false);
  assert.ok(pace.isBurst(80), "half of the pace is enough to go on");
});

test("a clock that is set back ends it", () => {
  const pace = new Pace();
  for (const atMs of [1000, 1001, 1002, 1003, 1004]) pace.answered(atMs);
  assert.equal(pace.isBurst(100), false);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { createWakePace } from "./wake-pace.ts";

const a = { kind: "widgets.test", namespace: "team", name: "a" };

test("ten wakes in a row are immediate, and from then on there is one each second", () => {
  const pace = createWakePace();
  const first = Array.from({ length: 10 }, () => pace.delayMs(a, 0));
  assert.deepEqual(new Set(first), new Set([0]));
  let nowMs = 0;
  for (let count = 0; count < 20; count += 1) {
    const delayMs = pace.delayMs(a, nowMs);
    assert.equal(delayMs, 1_000);
    // All that are asked for meanwhile are one with it.
    assert.equal(pace.delayMs(a, nowMs + 400), 600);
    nowMs += delayMs;
  }
});

test("who is woken now and then is woken at once, and others do not matter", () => {
  const pace = createWakePace();
  for (let nowMs = 0; nowMs < 100_000; nowMs += 1_000) {
    assert.equal(pace.delayMs(a, nowMs), 0);
    for (let count = 0; count < 30; count += 1) pace.delayMs({ ...a, name: "b" }, nowMs);
  }
});

test("a pause brings the ten back", () => {
  const pace = createWakePace();
  for (let count = 0; count < 100; count += 1) pace.delayMs(a, 0);
  for (let count = 0; count < 10; count += 1) assert.equal(pace.delayMs(a, 12_000), 0);
  assert.notEqual(pace.delayMs(a, 12_000), 0);
});

test("no wake waits for more than a second, whatever the clock does", () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: -20_000, max: 20_000 })), (steps) => {
      const pace = createWakePace();
      let nowMs = 1_000_000;
      for (const step of steps) {
        nowMs += step;
        const delayMs = pace.delayMs(a, nowMs);
        assert(delayMs >= 0 && delayMs <= 1_000, `${delayMs}`);
      }
    }),
  );
});

test("many resources are no way around it", () => {
  const pace = createWakePace();
  for (let count = 0; count < 10; count += 1) pace.delayMs(a, 0);
  for (let count = 0; count < 9_000; count += 1) pace.delayMs({ ...a, name: `n${count}` }, 0);
  assert.equal(pace.delayMs(a, 0), 1_000);
});

import assert from "node:assert/strict";
import { it } from "node:test";
import { EventRate } from "./event-rate.ts";

function admitted(rate: EventRate, uid: string, times: number, nowMs: number): number {
  return Array.from({ length: times }, () => rate.admits(uid, nowMs)).filter(Boolean).length;
}

it("a resource tells a burst of twenty-five, then one every five minutes", () => {
  const rate = new EventRate();
  assert.equal(admitted(rate, "a", 100, 0), 25);
  assert.equal(admitted(rate, "a", 100, 299_999), 0);
  assert.equal(admitted(rate, "a", 100, 300_000), 1);
  assert.equal(admitted(rate, "b", 1, 600_000), 1, "others are not limited by it");
  assert.equal(admitted(rate, "a", 100, 86_400_000), 25, "never more than a burst");
});

it("a clock that was set back gives nothing", () => {
  const rate = new EventRate();
  assert.equal(admitted(rate, "a", 30, 1_000_000), 25);
  assert.equal(admitted(rate, "a", 5, 0), 0);
  assert.equal(admitted(rate, "a", 5, 300_000), 1);
});

it("remembers a bounded number of resources", () => {
  const rate = new EventRate({ maxResources: 10 });
  admitted(rate, "a", 25, 0);
  for (let at = 0; at < 10; at++) rate.admits(`u${at}`, 0);
  assert.equal(admitted(rate, "a", 30, 0), 25, "forgotten, so it begins anew");
});

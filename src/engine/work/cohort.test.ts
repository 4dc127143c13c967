import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { manualClock } from "../../kernel/clock.ts";
import { manualTimers } from "../../kernel/manual-timers.ts";
import { Cohort, Deadlines } from "./cohort.ts";

function newDeadlines() {
  const clock = manualClock();
  const timers = manualTimers(clock);
  const startMs = clock.nowMs();
  const ends = new Map<string, number>();
  const deadlines = new Deadlines<string>(timers, clock, (member) => {
    ends.set(member, clock.nowMs() - startMs);
  });
  return { clock, timers, ends, deadlines };
}

describe("deadlines", () => {
  it("end everybody after their time and at most a twentieth later, with few timers", async () => {
    const { timers, ends, deadlines } = newDeadlines();
    for (let index = 0; index < 100; index += 1) {
      deadlines.join(`run-${index}`, 10_000);
      await timers.advance(10);
    }
    assert.ok(timers.pendingCount() <= 3, `${timers.pendingCount()} timers`);
    await timers.advance(20_000);
    assert.equal(ends.size, 100);
    for (let index = 0; index < 100; index += 1) {
      const tookMs = (ends.get(`run-${index}`) ?? 0) - index * 10;
      assert.ok(tookMs >= 10_000 && tookMs <= 10_500, `${tookMs}`);
    }
  });

  it("leave no timer behind once everybody has left", () => {
    const { timers, deadlines } = newDeadlines();
    const cohorts = ["a", "b"].map((member) => deadlines.join(member, 10_000));
    deadlines.stop();
    cohorts[0]?.leave("a");
    assert.equal(timers.pendingCount(), 1);
    cohorts[1]?.leave("b");
    assert.equal(timers.pendingCount(), 0);
  });

  it("end nobody too early when the clock is set back", async () => {
    const { clock, timers, ends, deadlines } = newDeadlines();
    deadlines.join("a", 10_000);
    clock.advanceMs(-3_600_000);
    deadlines.join("b", 10_000);
    await timers.advance(9_999);
    assert.deepEqual([...ends.keys()], []);
  });
});

describe("a cohort", () => {
  it("stays while others may join, and is over once its time is", async () => {
    const clock = manualClock();
    const timers = manualTimers(clock);
    const ended: string[][] = [];
    const cohort = new Cohort<string>(timers, 1_000, (members) => ended.push([...members]));
    cohort.join("a");
    cohort.leave("a");
    cohort.join("b");
    cohort.close();
    assert.equal(cohort.isOver, false);
    await timers.advance(1_000);
    assert.equal(cohort.isOver, true);
    assert.deepEqual(ended, [["b"]]);
  });
});

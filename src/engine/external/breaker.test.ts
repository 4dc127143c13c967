import assert from "node:assert/strict";
import { it } from "node:test";
import * as fc from "fast-check";
import { admitCall, defaultBreakerPolicy, newBreaker, reportCall } from "./breaker.ts";
import type { Breaker, CallResult } from "./breaker.ts";

const policy = defaultBreakerPolicy;
const startMs = 1_000_000;

/** Makes one call at a time; undefined when it was refused. */
function call(breaker: Breaker, result: CallResult, nowMs: number): Breaker | undefined {
  const admitted = admitCall(breaker, policy, nowMs);
  if (admitted.kind === "refused") return undefined;
  return reportCall(admitted.breaker, policy, { era: admitted.era, result, nowMs, chance: 0 });
}

function calls(breaker: Breaker, results: readonly CallResult[], nowMs: number): Breaker {
  return results.reduce((at, result) => call(at, result, nowMs) ?? at, breaker);
}

function failures(count: number): readonly CallResult[] {
  return Array.from({ length: count }, () => "failure" as const);
}

it("opens after five failures in a row, and not after four and a success", () => {
  const four = calls(newBreaker(startMs), [...failures(4), "success", ...failures(4)], startMs);
  assert.equal(four.kind, "closed");
  assert.equal(calls(four, failures(1), startMs).kind, "open");
});

it("opens when half of at least twenty calls in the window fail", () => {
  const mixed = Array.from({ length: 9 }, () => ["success", "failure"] as const).flat();
  const before = calls(newBreaker(startMs), mixed, startMs);
  assert.equal(before.kind, "closed");
  assert.equal(calls(before, ["success", "failure"], startMs).kind, "open");
  const later = startMs + policy.windowMs;
  assert.equal(calls(before, ["success", "failure"], later).kind, "closed", "the window moves on");
});

it("what the caller broke off says nothing", () => {
  const before = calls(newBreaker(startMs), failures(4), startMs);
  assert.deepEqual(calls(before, ["void", "void"], startMs), before);
});

it("lets one probe through when its time is over, and the success of it closes", () => {
  const open = calls(newBreaker(startMs), failures(5), startMs);
  assert.ok(open.kind === "open");
  assert.equal(call(open, "success", open.untilMs - 1), undefined);
  const probe = admitCall(open, policy, open.untilMs);
  assert.ok(probe.kind === "go");
  assert.equal(admitCall(probe.breaker, policy, open.untilMs).kind, "refused");
  const { era } = probe;
  const report = { era, nowMs: open.untilMs, chance: 0 };
  const good = reportCall(probe.breaker, policy, { ...report, result: "success" });
  assert.equal(good.kind, "closed");
  const dropped = reportCall(probe.breaker, policy, { ...report, result: "void" });
  assert.equal(admitCall(dropped, policy, open.untilMs).kind, "go", "another may probe");
});

it("doubles its time with every failed probe, up to five minutes", () => {
  let breaker = calls(newBreaker(startMs), failures(5), startMs);
  let nowMs = startMs;
  const openMs: number[] = [];
  for (let i = 0; i < 9; i++) {
    assert.ok(breaker.kind === "open");
    openMs.push(breaker.untilMs - nowMs);
    nowMs = breaker.untilMs;
    breaker = call(breaker, "failure", nowMs) ?? breaker;
  }
  const expected = [5_000, 10_000, 20_000, 40_000, 80_000, 160_000, 300_000, 300_000, 300_000];
  assert.deepEqual(openMs, expected);
});

it("goes on doubling when it opens again soon after it closed, and begins anew later", () => {
  const opened = calls(newBreaker(startMs), failures(5), startMs);
  assert.ok(opened.kind === "open");
  const nowMs = opened.untilMs;
  const closed = call(opened, "success", nowMs);
  assert.ok(closed?.kind === "closed");
  const soon = calls(closed, failures(5), nowMs + 1_000);
  assert.ok(soon.kind === "open");
  assert.equal(soon.untilMs, nowMs + 1_000 + 10_000);
  const laterMs = nowMs + policy.windowMs;
  const later = calls(closed, failures(5), laterMs);
  assert.ok(later.kind === "open");
  assert.equal(later.untilMs, laterMs + 5_000);
});

it("does not stay open because the clock was set back", () => {
  const open = calls(newBreaker(startMs), failures(5), startMs);
  assert.equal(admitCall(open, policy, startMs - 3_600_000).kind, "go");
});

it("calls that began before it opened do not close it or count twice", () => {
  const early = admitCall(newBreaker(startMs), policy, startMs);
  assert.ok(early.kind === "go");
  const open = calls(newBreaker(startMs), failures(5), startMs);
  const { era } = early;
  for (const result of ["success", "failure", "void"] as const) {
    const told = reportCall(open, policy, { era, result, nowMs: startMs, chance: 0 });
    assert.equal(told, open);
  }
});

it("never lets two probes through at once or refuses for over five minutes, and recovers", () => {
  const action = fc.record({
    stepMs: fc.integer({ min: 0, max: 20_000 }),
    do: fc.constantFrom("ask", "success", "failure", "void"),
    chance: fc.double({ min: 0, max: 0.999, noNaN: true }),
  });
  fc.assert(
    fc.property(fc.array(action, { maxLength: 200 }), (actions) => {
      let breaker = newBreaker(startMs);
      let nowMs = startMs;
      const under: number[] = [];
      for (const { stepMs, do: what, chance } of actions) {
        nowMs += stepMs;
        if (what === "ask") {
          const admitted = admitCall(breaker, policy, nowMs);
          if (admitted.kind === "refused") {
            assert.ok(admitted.untilMs > nowMs && admitted.untilMs <= nowMs + policy.openMostMs);
            continue;
          }
          breaker = admitted.breaker;
          under.push(admitted.era);
        } else {
          const era = under.shift();
          if (era === undefined) continue;
          breaker = reportCall(breaker, policy, { era, result: what, nowMs, chance });
        }
        const probes = under.filter((era) => breaker.kind === "half-open" && era === breaker.era);
        assert.ok(probes.length <= 1);
      }
      for (const era of under) {
        breaker = reportCall(breaker, policy, { era, result: "void", nowMs, chance: 0 });
      }
      nowMs += policy.openMostMs;
      assert.equal(call(breaker, "success", nowMs)?.kind, "closed");
    }),
  );
});

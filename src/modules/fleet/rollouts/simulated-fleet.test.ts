// Rollouts over random fleets whose reconciler stops at random places: whatever happens, no more
// instances are updated at a time and in a wave than the spec allows, and the Rollout ends.

import assert from "node:assert/strict";
import { test } from "node:test";
import {
  array,
  assert as check,
  boolean,
  constantFrom,
  integer,
  option,
  property,
  record,
} from "fast-check";
import type { Arbitrary } from "fast-check";
import { textAt } from "../../../kernel/json-read.ts";
import { readMember } from "./member.ts";
import { hasEnded } from "./phases.ts";
import { sampleInstanceKind } from "./sample-rollout.ts";
import { simulatedFleet } from "./simulated-fleet.ts";
import type { Behaviour, SimulatedFleet } from "./simulated-fleet.ts";
import { hasVersions } from "./standing.ts";

const behaviour = (results: readonly Behaviour["result"][]): Arbitrary<Behaviour> =>
  record({
    updateMs: integer({ min: 0, max: 120_000 }),
    result: constantFrom(...results),
    isReadyFrom: constantFrom(0, Date.parse("2026-01-01T00:05:00Z")),
  });

const waves = record({
  first: integer({ min: 1, max: 60 }),
  maxUnavailable: integer({ min: 1, max: 5 }),
  soakSeconds: integer({ min: 0, max: 120 }),
}).map(({ first, maxUnavailable, soakSeconds }) => [
  { percent: first, maxUnavailable, soakSeconds },
  { percent: 100, maxUnavailable: maxUnavailable + 1 },
]);

/** What happens between two steps: time passes, and the process may have stopped in the step. */
const moments = array(
  record({ ms: integer({ min: 0, max: 60_000 }), stop: option(integer({ min: 0, max: 3 })) }),
  { minLength: 1, maxLength: 40 },
);

function checkLimits(fleet: SimulatedFleet): void {
  const rollout = fleet.rollout();
  const { counts } = fleet.survey();
  if (rollout.progress.phase !== "progressing") return;
  const wave = rollout.waves[rollout.progress.wave - 1];
  const limit = wave?.maxUnavailable ?? 0;
  assert.ok(counts.updating <= limit, `${counts.updating} of ${limit} at a time`);
  const target = Math.ceil(((wave?.percent ?? 0) * counts.total) / 100);
  assert.ok(counts.updated <= target, `${counts.updated} of ${target} in the wave`);
}

/** Runs until the Rollout has ended, or is paused by a gate. */
function finish(fleet: SimulatedFleet): string {
  for (let turn = 0; turn < 5_000; turn += 1) {
    const { phase } = fleet.rollout().progress;
    if (hasEnded(phase) || phase === "paused") return phase;
    const step = fleet.step();
    checkLimits(fleet);
    if (step.kind === "rest") fleet.pass(step.againMs ?? 60_000);
  }
  return "never";
}

function versionsOf(fleet: SimulatedFleet): string[] {
  return fleet.instances().map(({ status }) => textAt(status, "actualVersions", "product"));
}

const runs = { numRuns: 300 };

test("a Rollout whose versions work completes and keeps its limits, wherever it stops", () => {
  const fleets = array(behaviour(["works"]), { maxLength: 25 });
  check(
    property(fleets, waves, moments, (behaviours, given, steps) => {
      const fleet = simulatedFleet({ waves: given }, behaviours);
      for (const { ms, stop } of steps) {
        fleet.step(stop === null ? undefined : { after: stop });
        checkLimits(fleet);
        fleet.pass(ms);
        checkLimits(fleet);
      }
      assert.equal(finish(fleet), "completed");
      assert.ok(versionsOf(fleet).every((version) => version === "2.0.0"));
    }),
    runs,
  );
});

test("a rollback returns every instance to the versions that it had", () => {
  const fleets = array(behaviour(["works", "works", "fails", "hangs"]), { maxLength: 25 });
  check(
    property(fleets, waves, moments, boolean(), (behaviours, given, steps, isByUser) => {
      const spec = { waves: given, onFailure: "rollback", gates: { notReadySeconds: 180 } };
      const fleet = simulatedFleet(spec, behaviours);
      for (const { ms, stop } of steps) {
        fleet.step(stop === null ? undefined : { after: stop });
        checkLimits(fleet);
        fleet.pass(ms);
      }
      if (isByUser) fleet.change({ action: "rollback" });
      const phase = finish(fleet);
      if (phase === "completed") {
        assert.ok(behaviours.every(({ result }) => result === "works"));
        return;
      }
      assert.equal(phase, "rolledBack");
      for (const instance of fleet.instances()) {
        const { change, desired } = readMember(sampleInstanceKind, instance);
        if (change !== undefined) assert.ok(hasVersions(desired, change.from));
      }
      fleet.pass(600_000);
      assert.ok(versionsOf(fleet).every((version) => version === "1.0.0"));
    }),
    runs,
  );
});

test("a Rollout that a gate stopped changes nothing more", () => {
  const fleets = array(behaviour(["works", "fails"]), { minLength: 5, maxLength: 25 });
  check(
    property(fleets, waves, (behaviours, given) => {
      const fleet = simulatedFleet({ waves: given }, behaviours);
      if (finish(fleet) !== "paused") return;
      const before = fleet.instances();
      for (let turn = 0; turn < 20; turn += 1) {
        fleet.step();
        assert.deepEqual(fleet.instances(), before);
      }
      fleet.change({ action: "abort" });
      fleet.step();
      assert.equal(fleet.rollout().progress.phase, "aborted");
    }),
    runs,
  );
});

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { decide, waveAt } from "./decide.ts";
import type { MemberFacts, RolloutFacts } from "./decide.ts";

const ready = { phase: "Ready", message: "" };
const environment = {
  isMoved: false,
  isCurrent: true,
  phase: "DeployedOk",
  message: "",
  hasOtherAccount: false,
};
const planned = (name: string): MemberFacts => ({ name, environment, plan: ready });
const moved = (name: string, phase = "DeployedOk", isCurrent = true): MemberFacts => ({
  name,
  environment: { ...environment, isMoved: true, phase, isCurrent },
  plan: ready,
});

const facts = (
  members: readonly MemberFacts[],
  more: Partial<RolloutFacts> = {},
): RolloutFacts => ({
  members,
  waves: [1],
  isApproved: true,
  isPaused: false,
  skip: new Set(),
  ...more,
});

describe("a rollout of a template", () => {
  it("plans every environment before anything else", () => {
    const decision = decide(facts([planned("a"), { name: "b", environment }]));
    assert.equal(decision.phase, "Planning");
    assert.deepEqual(decision.move, []);
  });

  it("moves nothing before it is approved", () => {
    const decision = decide(facts([planned("a")], { isApproved: false }));
    assert.equal(decision.phase, "AwaitingApproval");
    assert.deepEqual(decision.move, []);
  });

  it("moves the first wave, and the next one when that is deployed", () => {
    assert.deepEqual(decide(facts([planned("a"), planned("b"), planned("c")])).move, ["a"]);
    const during = decide(facts([moved("a", "Deploying"), planned("b"), planned("c")]));
    assert.deepEqual([during.phase, during.move], ["Rolling", []]);
    assert.deepEqual(decide(facts([moved("a"), planned("b"), planned("c")])).move, ["b", "c"]);
    assert.equal(decide(facts([moved("a"), moved("b"), moved("c")])).phase, "Succeeded");
  });

  it("does not trust a state that is about an older spec", () => {
    const decision = decide(facts([moved("a", "DeployedOk", false), planned("b")]));
    assert.deepEqual(decision.move, []);
  });

  it("pauses at a failed environment until it is repaired or skipped", () => {
    const broken = [moved("a", "DeployedFail"), planned("b")];
    const decision = decide(facts(broken));
    assert.equal(decision.phase, "Paused");
    assert.match(decision.message, /a failed/);
    assert.deepEqual(decide(facts(broken, { skip: new Set(["a"]) })).move, ["b"]);
  });

  it("pauses on request, and passes over environments that do not exist any more", () => {
    assert.deepEqual(decide(facts([planned("a")], { isPaused: true })).move, []);
    assert.deepEqual(decide(facts([{ name: "a" }, planned("b")])).move, ["b"]);
  });

  it("does not move an environment that has another ServiceAccount since its creation", () => {
    const other = { ...planned("a"), environment: { ...environment, hasOtherAccount: true } };
    assert.equal(decide(facts([other])).phase, "Paused");
  });

  it("counts waves by their sizes", () => {
    assert.deepEqual(
      [0, 1, 2, 3].map((at) => waveAt(at, [1, 2])),
      [1, 2, 2, 3],
    );
    assert.equal(waveAt(0, []), 1);
  });
});

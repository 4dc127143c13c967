import assert from "node:assert/strict";
import { test } from "node:test";
import { lifeSteps } from "./life-steps.ts";

const text = (phase: string, wasReady = false): string =>
  lifeSteps(phase, wasReady)
    .map(({ phase: each, kind }) => (kind === "current" ? `[${each}]` : each))
    .join(" ");

test("the life of an instance is shown as the way to its phase", () => {
  assert.equal(text("accepted"), "[accepted] preparing provisioning ready");
  assert.equal(text("ready", true), "accepted preparing provisioning [ready]");
  assert.equal(text("failed"), "accepted preparing provisioning [failed]");
  assert.equal(text("failed", true), "accepted preparing provisioning ready [failed]");
  assert.equal(text("suspended", true), "ready suspending [suspended]");
  assert.equal(text("resuming", true), "suspended [resuming] ready");
  assert.equal(text("deprovision", true), "ready [deprovision] deleting");
});

test("steps before the current one are passed, and those after it are ahead", () => {
  assert.deepEqual(
    lifeSteps("preparing", false).map(({ kind }) => kind),
    ["passed", "current", "ahead", "ahead"],
  );
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { conditionTone, stateCounts, sumStates, whyLook } from "./states.ts";

test("counts are listed with what needs a person first", () => {
  const sum = sumStates([
    { states: { Ready: 3, Failed: 1 } },
    { states: { Ready: 2, Waiting: 4 } },
  ]);
  assert.deepEqual(sum, { Failed: 1, Waiting: 4, Ready: 5 });
  assert.deepEqual(
    stateCounts(sum).map(({ word, count }) => `${word} ${count}`),
    ["Failed 1", "Waiting 4", "Ready 5"],
  );
});

test("a condition that is bad when it is True is shown as bad", () => {
  assert.equal(conditionTone("Ready", "True", "Available"), "ready");
  assert.equal(conditionTone("Degraded", "True", "X"), "failed");
  assert.equal(conditionTone("Degraded", "False", "X"), "ready");
  assert.equal(conditionTone("ErrorOccurred", "True", "HostUnreachable"), "failed");
  assert.equal(conditionTone("ComparisonError", "False", "ComparisonErrorResolved"), "ready");
  assert.equal(conditionTone("SharedResourceWarning", "True", "Shared"), "waiting");
  assert.equal(conditionTone("Synced", "False", "ReconcilePaused"), "paused");
  assert.equal(conditionTone("Ready", "Unknown", ""), "unknown");
});

test("a state of a newer server is shown with its own word", () => {
  assert.deepEqual(whyLook("Sleeping"), { tone: "unknown", word: "Sleeping" });
});

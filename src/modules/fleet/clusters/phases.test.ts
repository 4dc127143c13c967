import assert from "node:assert/strict";
import { test } from "node:test";
import { clusterPhases, clusterTransitions, isLeaving, movedCluster } from "./phases.ts";

test("a cluster that is being removed never returns to an earlier phase", () => {
  for (const from of clusterPhases.filter(isLeaving)) {
    for (const to of clusterTransitions[from]) assert.ok(isLeaving(to), `${from} to ${to}`);
  }
});

test("a cluster can be removed from every phase", () => {
  for (const from of clusterPhases.filter((phase) => !isLeaving(phase))) {
    assert.ok(clusterTransitions[from].includes("deprovisioning"), from);
  }
});

test("a move of a cluster outside of the table is an assertion failure", () => {
  assert.equal(movedCluster("waiting", "ready"), "ready");
  assert.equal(movedCluster("ready", "ready"), "ready");
  assert.throws(() => movedCluster("cleanup", "ready"), /cannot move from cleanup to ready/);
});

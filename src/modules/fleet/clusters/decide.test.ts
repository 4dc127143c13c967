// The decision is checked case by case. A property then follows it through random events and checks
// that every move is an edge of the table, and that a deletion always ends.

import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import type { ClusterReport } from "./cluster.ts";
import { decideCluster } from "./decide.ts";
import type { ClusterState } from "./decide.ts";
import { clusterPhases, movedCluster } from "./phases.ts";
import type { ClusterPhase } from "./phases.ts";

function report(given: Partial<ClusterReport> = {}): ClusterReport {
  const base = { atMs: 1_000, isReady: true, reason: "", message: "" };
  return { ...base, operators: [], capacity: new Map(), unavailable: new Map(), ...given };
}

function state(given: Partial<ClusterState>): ClusterState {
  return {
    phase: "ready",
    isDeleting: false,
    isForced: false,
    isSpecNew: false,
    instances: 0,
    isDraining: false,
    report: report(),
    silenceMs: 300_000,
    nowMs: 1_000,
    ...given,
  };
}

test("a new cluster is created, checked and installed", () => {
  assert.deepEqual(decideCluster(state({ phase: "accepted" })), { kind: "create" });
  assert.deepEqual(decideCluster(state({ phase: "provisioning" })), { kind: "check" });
  assert.deepEqual(decideCluster(state({ phase: "provisioned" })), { kind: "install" });
});

test("a waiting cluster becomes ready when its agent reports that it is ready", () => {
  const silent = decideCluster(state({ phase: "waiting", report: undefined }));
  assert.equal(silent.kind === "rest" && silent.reason, "AgentNotSeen");
  assert.deepEqual(decideCluster(state({ phase: "waiting" })), { kind: "move", to: "ready" });
});

test("a ready cluster waits again when its agent is not ready, and shows the reason", () => {
  const notReady = report({ isReady: false, reason: "NoNodes", message: "no nodes" });
  assert.deepEqual(decideCluster(state({ report: notReady })), { kind: "move", to: "waiting" });
  const step = decideCluster(state({ phase: "waiting", report: notReady }));
  assert.ok(step.kind === "rest" && step.reason === "NoNodes" && step.message === "no nodes");
});

test("a ready cluster waits again when its agent has not reported for too long", () => {
  assert.deepEqual(decideCluster(state({ nowMs: 300_999 })), {
    kind: "rest",
    isReady: true,
    reason: "AgentReady",
    message: "",
    againMs: 1,
  });
  assert.deepEqual(decideCluster(state({ nowMs: 301_000 })), { kind: "move", to: "waiting" });
  const rest = decideCluster(state({ phase: "waiting", nowMs: 400_000 }));
  assert.ok(rest.kind === "rest" && rest.reason === "AgentSilent");
  assert.match(rest.message, /for 300 seconds/);
});

test("a cluster without an agent is never silent", () => {
  const step = decideCluster(state({ silenceMs: undefined, nowMs: 10 ** 12 }));
  assert.deepEqual(step, { kind: "rest", isReady: true, reason: "AgentReady", message: "" });
});

test("a failed cluster starts again when its spec changes", () => {
  assert.equal(decideCluster(state({ phase: "failed" })).kind, "rest");
  const step = decideCluster(state({ phase: "failed", isSpecNew: true }));
  assert.deepEqual(step, { kind: "move", to: "accepted" });
});

test("a cluster with instances is not removed, and the reason says what to do", () => {
  const leaving = { phase: "deprovisioning", isDeleting: true } as const;
  const used = decideCluster(state({ ...leaving, instances: 3 }));
  assert.ok(used.kind === "rest" && used.reason === "InUse");
  assert.match(used.message, /^3 instances are on the cluster: set spec.isDraining to move them/);
  const draining = decideCluster(state({ ...leaving, instances: 1, isDraining: true }));
  assert.ok(draining.kind === "rest");
  assert.match(draining.message, /^1 instance is on the cluster: they are being moved/);
  assert.deepEqual(decideCluster(state(leaving)), { kind: "uninstall" });
});

const anyState: fc.Arbitrary<ClusterState> = fc.record({
  phase: fc.constantFrom(...clusterPhases),
  isDeleting: fc.boolean(),
  isForced: fc.boolean(),
  isSpecNew: fc.boolean(),
  instances: fc.nat(2),
  isDraining: fc.boolean(),
  report: fc.option(
    fc.record({ atMs: fc.nat(100), isReady: fc.boolean() }).map((given) => report(given)),
    { nil: undefined },
  ),
  silenceMs: fc.option(fc.integer({ min: 1, max: 100 }), { nil: undefined }),
  nowMs: fc.nat(200),
});

/** The phase after the step, if the step succeeds. */
function next(facts: ClusterState): ClusterPhase | "removed" {
  const step = decideCluster(facts);
  switch (step.kind) {
    case "create":
      return "provisioning";
    case "check":
      return "provisioned";
    case "install":
      return "waiting";
    case "move":
      return step.to;
    case "uninstall":
      return "cleanup";
    case "clean":
      return "removed";
    case "rest":
      return facts.phase;
    default:
      return step satisfies never;
  }
}

test("every move follows the table, and a deletion of an empty cluster ends", () => {
  fc.assert(
    fc.property(anyState, (facts) => {
      const to = next(facts);
      if (to !== "removed") movedCluster(facts.phase, to);
      let { phase } = facts;
      for (let steps = 0; steps < 4; steps += 1) {
        const after = next({ ...facts, phase, isDeleting: true, instances: 0 });
        if (after === "removed") return;
        phase = after;
      }
      assert.fail(`a cluster that was ${facts.phase} is not removed`);
    }),
  );
});

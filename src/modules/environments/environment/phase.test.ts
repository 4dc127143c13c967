import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "../../../kernel/json.ts";
import { textAt } from "../../../kernel/json-read.ts";
import type { Resource } from "../../../kernel/resource.ts";
import { driftOf, isBusy, memberOf } from "./members.ts";
import type { Member } from "./members.ts";
import { phaseFrom, withTransition } from "./phase.ts";
import type { PhaseInput } from "./phase.ts";

const settled: PhaseInput = {
  isDestroying: false,
  isRemoved: false,
  isAwaitingApproval: false,
  wasDeployed: false,
  isChanging: false,
  isBusy: false,
  failures: [],
  blocked: 0,
  health: "healthy",
  healthMessage: "",
  operationProblem: "",
  before: undefined,
};

function phase(more: Partial<PhaseInput>): string {
  const report = phaseFrom({ ...settled, ...more });
  return `${report.phase} ${report.reason}`;
}

test("the phase is derived from resources, operation, approval and health", () => {
  assert.equal(phase({}), "DeployedOk Deployed");
  assert.equal(phase({ before: "Deploying" }), "DeployedWaiting Validating");
  assert.equal(phase({ isChanging: true }), "Deploying Deploying");
  assert.equal(phase({ isAwaitingApproval: true }), "Deploying AwaitingApproval");
  const waiting = { isAwaitingApproval: true, wasDeployed: true };
  assert.equal(phase(waiting), "DeployedWaiting AwaitingApproval");
  assert.equal(phase({ health: "pending" }), "DeployedWaiting Validating");
  assert.equal(phase({ health: "unhealthy" }), "DeployedFail ValidationFailed");
  assert.equal(phase({ isBusy: true }), "DeployedWaiting ResourcesNotReady");
  const failures = [{ resource: "e.a", reason: "Broken" }];
  assert.equal(phase({ failures }), "DeployedFail ResourceFailed");
  const cancelled = [{ resource: "e.a", reason: "Cancelled" }];
  assert.equal(phase({ failures: cancelled }), "DeployedFail Cancelled");
  assert.equal(phase({ isDestroying: true }), "Destroying Destroying");
  assert.equal(phase({ isDestroying: true, failures }), "Destroying DestructionFailed");
  assert.equal(phase({ isDestroying: true, isRemoved: true }), "Destroyed Destroyed");
});

test("transitions are added when the phase or the reason changes, and the last 50 are kept", () => {
  const report = { phase: "Deploying", reason: "Deploying", message: "" } as const;
  const first = withTransition([], report, "t1", "op");
  assert.deepEqual(first, [{ at: "t1", phase: "Deploying", reason: "Deploying", operation: "op" }]);
  assert.equal(withTransition(first, report, "t2", "op"), first);
  let many: readonly JsonObject[] = first;
  for (let at = 0; at < 80; at += 1) {
    many = withTransition(many, { ...report, reason: `r${at}` }, `t${at}`, "");
  }
  assert.equal(many.length, 50);
  assert.equal(many.at(-1)?.["reason"], "r79");
});

function member(name: string, state: string, dependsOn: readonly string[] = []): Member {
  const resource: Resource = {
    apiVersion: "environments.setpoint.dev/v1",
    kind: "EnvironmentResource",
    metadata: { name, namespace: "n", uid: name, generation: 1 },
    spec: { key: name, dependsOn },
    status: { observedGeneration: 1, state },
  } as unknown as Resource;
  return memberOf(resource);
}

test("resources that wait only for failed ones are settled, others are busy", () => {
  assert.ok(!isBusy([member("a", "Ready"), member("b", "Failed"), member("c", "Waiting", ["b"])]));
  assert.ok(isBusy([member("a", "Deploying"), member("b", "Failed")]));
  assert.ok(isBusy([member("a", "Ready"), member("b", "Waiting", ["a"])]));
  const chain = [
    member("a", "Failed"),
    member("b", "Waiting", ["a"]),
    member("c", "Waiting", ["b"]),
  ];
  assert.ok(!isBusy(chain));
});

test("accepted drift stays accepted until another place drifts", () => {
  const drifted = (path: string): Member => {
    const base = member("a", "Ready");
    const items = [{ path, kind: "changed", message: "m" }];
    const status = { ...(base.resource.status as object), drift: { state: "Drifted", items } };
    return { ...base, resource: { ...base.resource, status } };
  };
  const found = driftOf([drifted("spec.x")], "");
  assert.equal(found?.["state"], "Drifted");
  const digest = textAt(found, "digest");
  assert.equal(driftOf([drifted("spec.x")], digest)?.["state"], "Accepted");
  assert.equal(driftOf([drifted("spec.y")], digest)?.["state"], "Drifted");
});

import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "../../../kernel/json.ts";
import type { Resource } from "../../../kernel/resource.ts";
import { decideStep, environmentsOf } from "./promotion-steps.ts";
import type { StepDecision } from "./promotion-steps.ts";

const resource = (name: string, spec: JsonObject, status: JsonObject = {}): Resource =>
  ({ metadata: { name, generation: 2 }, spec, status }) as unknown as Resource;
const environment = (name: string, parentEnvironment: string, more: JsonObject = {}): Resource =>
  resource(name, { parentEnvironment, deploymentStrategy: "Automated", ...more });
const checks = { verification: { checks: [{ name: "a", expression: "true" }] } };

interface Given {
  readonly spec?: JsonObject;
  readonly binding?: JsonObject;
  readonly bound?: string;
  readonly parent?: JsonObject;
}

function step({ spec = {}, binding, bound = "v1", parent }: Given): StepDecision {
  const status = { observedGeneration: 2, snapshot: "v1", verified: ["v1"], ...binding };
  return decideStep({
    snapshot: "v1",
    application: "shop",
    environment: environment("prod", "dev", spec),
    binding: binding === undefined ? undefined : resource("b", { snapshot: bound }, status),
    parentBinding: parent === undefined ? undefined : resource("p", {}, parent),
  });
}

test("a manual promotion has one environment, an automated one follows automated parents", () => {
  const manual = resource("r", { manualPromotion: { targetEnvironment: "prod" } });
  assert.deepEqual(environmentsOf(manual, []), ["prod"]);
  const automated = resource("r", { automatedPromotion: { initialEnvironment: "dev" } });
  const environments = [
    environment("dev", "west", { deploymentStrategy: "Manual" }),
    environment("test", "dev"),
    environment("west", "test"),
    environment("east", "test"),
    environment("hand", "test", { deploymentStrategy: "Manual" }),
    environment("after", "hand"),
  ];
  assert.deepEqual(environmentsOf(automated, environments), ["dev", "test", "east", "west"]);
  const circle = [environment("dev", "test"), environment("test", "dev")];
  assert.deepEqual(environmentsOf(automated, circle), ["dev", "test"]);
});

test("a version is promoted until its binding shows it as deployed", () => {
  assert.equal(step({}).kind, "create");
  assert.equal(step({ binding: {}, bound: "v0" }).kind, "promote");
  assert.equal(step({ binding: {} }).kind, "done");
  assert.equal(step({ binding: { snapshot: "v0" } }).kind, "wait");
  assert.equal(step({ binding: { observedGeneration: 1 } }).kind, "wait", "of an earlier spec");
});

test("a version needs one attempt that passed since it was deployed", () => {
  const verification = (hasPassed: boolean, snapshot = "v1"): JsonObject => ({
    verification: { snapshot, hasPassed, phase: "Failed" },
  });
  assert.equal(step({ spec: checks, binding: verification(false) }).kind, "wait");
  assert.equal(step({ spec: checks, binding: verification(true, "v0") }).kind, "wait");
  assert.equal(step({ spec: checks, binding: verification(true) }).kind, "done", "a later failure");
});

test("a gate demands that the version was verified in the parent", () => {
  const spec = { promoteFrom: "Parent" };
  const waiting = step({ spec, parent: { verified: ["v0"] } });
  assert.deepEqual(waiting, {
    kind: "wait",
    message: "waits until v1 is deployed and verified in dev",
  });
  assert.equal(step({ spec, parent: { verified: ["v2", "v1"] } }).kind, "create");
});

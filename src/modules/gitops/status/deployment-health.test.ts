import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "../../../kernel/json.ts";
import { deploymentHealth } from "./deployment-health.ts";

const synced = { status: "Synced" };
const of = (status: JsonObject, type = "automated"): string => {
  const { status: found, message } = deploymentHealth({ spec: { type }, status });
  return message === "" ? found : `${found}: ${message}`;
};
const error = (message: string): JsonObject => ({ type: "ErrorOccurred", status: "True", message });

test("a deployment has the health of its objects", () => {
  assert.equal(of({ sync: synced, health: { status: "Healthy" } }), "Healthy");
  assert.equal(of({ sync: synced }), "Healthy", "objects without a health");
  const degraded = { status: "Degraded", message: "shop: no image" };
  assert.equal(of({ sync: synced, health: degraded }), "Degraded: shop: no image");
});

test("a deployment that has not finished is Progressing", () => {
  assert.match(of({}), /^Progressing: the deployment has not been compared/);
  const running = { sync: synced, operationState: { phase: "Running" } };
  assert.equal(of(running), "Progressing: a sync is running");
  assert.equal(of({ sync: { status: "OutOfSync" } }), "Progressing: the deployment is OutOfSync");
  assert.equal(of({ sync: { status: "OutOfSync" } }, "manual"), "Healthy");
});

test("a deployment with an error is Degraded, and one that waits for a user is Suspended", () => {
  const failed = { sync: synced, conditions: [error("the branch does not exist")] };
  assert.equal(of(failed), "Degraded: the branch does not exist");
  const held = { sync: synced, conditions: [error("1 deletions wait")], prune: { hash: "a1" } };
  assert.equal(of(held), "Suspended: 1 deletions wait");
});

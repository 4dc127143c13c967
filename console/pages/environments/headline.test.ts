import assert from "node:assert/strict";
import { test } from "node:test";
import type { Environment, EnvironmentStatus } from "../../api/environments.ts";
import { failureOf, listHeadline, messageOf, progressText } from "./headline.ts";

type Phase = NonNullable<EnvironmentStatus["phase"]>;

function environment(phase: Phase, more: Environment["status"] = {}): Environment {
  const place = { id: "a", namespace: "default", uid: phase, revision: 1, generation: 1 };
  const times = { createdAt: "2026-01-01T00:00:00Z" };
  return { ...place, ...times, spec: { templates: [] }, status: { phase, ...more } };
}

test("the headline of environments names failures and changes first", () => {
  const phases: readonly Phase[] = ["DeployedOk", "DeployedFail", "Deploying", "Destroyed"];
  const some = phases.map((phase) => environment(phase));
  assert.equal(listHeadline(some), "1 of 3 environments failed; 1 is changing");
  assert.equal(listHeadline([environment("DeployedOk")]), "1 environment, all as planned");
});

test("the progress of an environment counts its resources and states the cause", () => {
  const resources = { total: 3, ready: 2, failed: 1 };
  const failed = environment("DeployedFail", { resources, reason: "X", message: "db is down" });
  assert.equal(progressText(failed), "2 of 3 resources ready, 1 failed. db is down");
  const well = environment("DeployedOk", { resources: { total: 3, ready: 3 }, reason: "Deployed" });
  assert.equal(progressText(well), "3 of 3 resources ready.");
});

test("a failed environment states the cause of its first failure", () => {
  const message = "exceeded quota: small";
  const failures = [
    { resource: "a.db", reason: "QuotaExceeded", message },
    { resource: "a.dns", reason: "Refused", message: "no" },
  ];
  const failed = environment("DeployedFail", { failures });
  assert.deepEqual(failureOf(failed), {
    resource: "a.db",
    title: "a.db: QuotaExceeded",
    text: "exceeded quota: small. 1 other resource failed.",
  });
  assert.equal(messageOf(failed, "a.db"), message);
  assert.equal(messageOf(failed, "a.app"), "");
  assert.equal(failureOf(environment("DeployedOk")), undefined);
});

// Permissions and approvals of Templates hold until an Environment has left them.
import assert from "node:assert/strict";
import { test } from "node:test";
import { textAt } from "../../src/kernel/json-read.ts";
import type { JsonObject } from "../../src/kernel/json.ts";
import { apiVersion, machine, openRig } from "./rig.ts";
import type { Rig } from "./rig.ts";

const at = { apiVersion, kind: "Environment", namespace: "team", name: "e" };
const rolloutAt = { apiVersion, kind: "TemplateRollout", namespace: "team", name: "r" };

async function version(rig: Rig, id: string, number: number, more: JsonObject): Promise<void> {
  const spec = { id, version: number, resources: [machine("db")], ...more };
  await rig.create("Template", `${id}.v${number}`, spec);
}

async function deploy(rig: Rig, templates: readonly string[]): Promise<void> {
  await rig.environment({ templates });
  await rig.pass();
  if ((await rig.phase()) === "Deploying" && (await rig.machines()).length === 0) {
    await rig.create("Plan", "first", { environment: "e" });
    await rig.pass(5_000);
    await rig.as("boss", ["system:masters"]).patch(at, { spec: { approvedPlan: "first" } });
    await rig.pass(5_000);
  }
  await rig.ready("e.db");
  await rig.pass(5_000);
  assert.equal(await rig.phase(), "DeployedOk");
}

test("a change that leaves a Template with approval needs an approved Plan", async () => {
  await using rig = await openRig();
  await version(rig, "t", 1, { permissions: { approval: "Required" } });
  await version(rig, "free", 1, { resources: [machine("other")] });
  await deploy(rig, ["t.v1"]);
  await rig.patch("Environment", "e", { spec: { templates: ["free.v1"] } });
  await rig.pass(5_000);
  assert.deepEqual(await rig.machines(), ["e.db"]);
  assert.equal(textAt((await rig.read("Environment", "e"))?.status, "reason"), "AwaitingApproval");
});

test("a user may not approve a Plan together with an own change of secret parameters", async () => {
  await using rig = await openRig();
  const parameters = { token: { type: "string", secret: true } };
  const db = machine("db", {}, { password: "${parameters.token}" });
  await version(rig, "t", 1, { parameters, resources: [db] });
  await version(rig, "t", 2, { parameters, resources: [db, machine("cache")] });
  await rig.environment({ templates: ["t.v1"], secretParameters: { token: "first-value" } });
  await rig.pass();
  await rig.ready("e.db");
  await rig.create("Plan", "p", { environment: "e", templates: ["t.v2"] });
  await rig.pass(5_000);
  for (const more of [
    { secretParameters: { token: "other-value" } },
    { serviceAccountName: "mighty" },
  ]) {
    await assert.rejects(
      rig.patch("Environment", "e", { spec: { approvedPlan: "p", ...more } }),
      /this request has another deployment than the Plan/,
    );
  }
  await rig.patch("Environment", "e", { spec: { approvedPlan: "p" } });
  await rig.pass(5_000);
  assert.deepEqual(await rig.machines(), ["e.cache", "e.db"]);
});

test("the approval of a Plan follows the permissions of the Template that it leaves", async () => {
  await using rig = await openRig();
  await version(rig, "t", 1, { permissions: { approve: { users: ["boss"] } } });
  await version(rig, "free", 1, { resources: [machine("other")] });
  await deploy(rig, ["t.v1"]);
  await rig.create("Plan", "p", { environment: "e", templates: ["free.v1"] });
  await rig.pass(5_000);
  await assert.rejects(
    rig.patch("Environment", "e", { spec: { approvedPlan: "p" } }),
    /"admin" may not approve changes of the Template t\.v1/,
  );
});

test("a rollout follows the permissions of the Templates that it replaces", async () => {
  await using rig = await openRig();
  await version(rig, "t", 1, { permissions: { deploy: { users: ["admin"] } } });
  await version(rig, "t", 2, {});
  await deploy(rig, ["t.v1"]);
  const rollout = {
    apiVersion,
    kind: "TemplateRollout",
    metadata: { name: "r", namespace: "team" },
    spec: { template: "t.v2" },
  };
  await assert.rejects(
    rig.as("other", ["system:masters"]).create(rollout),
    /"other" may not deploy the Template t\.v1/,
  );
});

test("a rollout is approved by a user whom all its Templates permit", async () => {
  await using rig = await openRig();
  await version(rig, "t", 1, { permissions: { approve: { users: ["boss"] } } });
  await version(rig, "t", 2, { permissions: { selfApproval: false } });
  await deploy(rig, ["t.v1"]);
  await rig.create("TemplateRollout", "r", { template: "t.v2" });
  await rig.pass(5_000);
  const approval = { spec: { approved: true } };
  await assert.rejects(
    rig.patch("TemplateRollout", "r", approval),
    /requires another user|may not/,
  );
  const other = rig.as("other", ["system:masters"]);
  await assert.rejects(other.patch(rolloutAt, approval), /may not approve changes of .* t\.v1/);
  await rig.as("boss", ["system:masters"]).patch(rolloutAt, approval);
});

test("a user does not approve an own Rollback where another user is required", async () => {
  await using rig = await openRig();
  const parameters = { size: { type: "integer", default: 1 } };
  const permissions = { approval: "Required", selfApproval: false };
  const db = machine("db", {}, { size: "${parameters.size}" });
  await version(rig, "t", 1, { parameters, permissions, resources: [db] });
  await deploy(rig, ["t.v1"]);
  const boss = rig.as("boss", ["system:masters"]);
  await boss.patch(at, { spec: { parameters: { size: 2 } } });
  await rig.pass(5_000);
  await rig.create("Plan", "second", { environment: "e" });
  await rig.pass(5_000);
  const other = rig.as("other", ["system:masters"]);
  await other.patch(at, { spec: { approvedPlan: "second" } });
  await rig.pass(5_000);
  await rig.ready("e.db");
  await rig.create("Operation", "back", { environment: "e", type: "Rollback", to: "e.deploy-1" });
  await rig.pass(5_000);
  await boss.create({
    apiVersion,
    kind: "Plan",
    metadata: { name: "third", namespace: "team" },
    spec: { environment: "e" },
  });
  await rig.pass(5_000);
  const patch = { spec: { approvedPlan: "third" } };
  await assert.rejects(rig.patch("Environment", "e", patch), /requires another user/);
  await other.patch(at, patch);
});

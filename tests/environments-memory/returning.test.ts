// Changes that arrive while a change is carried out: nothing is lost, and nothing waits for ever.

import assert from "node:assert/strict";
import { test } from "node:test";
import { textAt } from "../../src/kernel/json-read.ts";
import { apiVersion, machine, machineVersion, openRig } from "./rig.ts";
import type { Rig } from "./rig.ts";

const operations = "operations.environments.setpoint.dev";
const hold = "example.dev/hold";

async function held(rig: Rig, name: string, finalizers: readonly string[] | null): Promise<void> {
  const at = { apiVersion: machineVersion, kind: "Machine", namespace: "team", name };
  await rig.memory.patch(at, { metadata: { finalizers } });
  await rig.pass(3_000);
}

async function deployed(rig: Rig, names: readonly string[]): Promise<void> {
  await rig.pass();
  for (const name of names) await rig.ready(name);
  await rig.pass(5_000);
  assert.equal(await rig.phase(), "DeployedOk");
}

test("an Environment that is wanted again during its destruction is deployed again", async () => {
  await using rig = await openRig();
  await rig.template([machine("a"), machine("b", { dependsOn: ["a"] })]);
  await rig.environment();
  await deployed(rig, ["e.a", "e.b"]);
  await held(rig, "e.a", [hold]);
  await held(rig, "e.b", [hold]);
  await rig.patch("Environment", "e", { spec: { desired: "Destroyed" } });
  await rig.pass(3_000);
  await rig.patch("Environment", "e", { spec: { desired: "Deployed" } });
  await rig.pass(3_000);
  assert.equal(await rig.phase(), "Deploying");
  // The reverse order holds.
  assert.equal((await rig.read("Machine", "e.a"))?.metadata.deletionTimestamp, undefined);
  await held(rig, "e.b", null);
  await held(rig, "e.a", null);
  await deployed(rig, ["e.a", "e.b"]);
  assert.deepEqual(await rig.machines(), ["e.a", "e.b"]);
});

test("a resource that is removed and then wanted again is created again", async () => {
  await using rig = await openRig();
  const parameters = { n: { type: "integer", default: 2 } };
  await rig.template([machine("a", { count: "${parameters.n}" })], { parameters });
  await rig.environment();
  await deployed(rig, ["e.a.0", "e.a.1"]);
  await held(rig, "e.a.1", [hold]);
  await rig.patch("Environment", "e", { spec: { parameters: { n: 1 } } });
  await rig.pass(3_000);
  await rig.patch("Environment", "e", { spec: { parameters: { n: 2 } } });
  await rig.pass(3_000);
  await held(rig, "e.a.1", null);
  await rig.pass(3_000);
  await rig.ready("e.a.0");
  await rig.ready("e.a.1");
  await rig.pass(5_000);
  assert.equal(await rig.phase(), "DeployedOk");
  assert.deepEqual(await rig.machines(), ["e.a.0", "e.a.1"]);
});

test("a rollback of a change whose removal waits for a failed resource ends", async () => {
  await using rig = await openRig();
  await rig.template([machine("a"), machine("b", { dependsOn: ["a"] }, { n: 1 })]);
  await rig.template([machine("b", {}, { n: 2 })], { version: 2 });
  await rig.environment();
  await deployed(rig, ["e.a", "e.b"]);
  await rig.patch("Environment", "e", { spec: { templates: ["t.v2"] } });
  await rig.pass(3_000);
  await rig.fail("e.b");
  // It is still applied with its dependency.
  assert.deepEqual(await rig.machines(), ["e.a", "e.b"]);
  await rig.patch("Environment", "e", { spec: { templates: ["t.v1"] } });
  await rig.pass(10_000);
  await rig.ready("e.a");
  await rig.ready("e.b");
  await rig.pass(5_000);
  assert.equal(await rig.phase(), "DeployedOk");
  assert.deepEqual(await rig.machines(), ["e.a", "e.b"]);
});

test("a deployment that is cancelled before it begins is not deployed", async () => {
  await using rig = await openRig();
  await rig.template([machine("a")], { permissions: { approval: "Required" } });
  await rig.environment();
  await rig.pass();
  await rig.patch("Operation", "e.deploy-1", { spec: { cancel: "Graceful" } });
  await rig.create("Plan", "p", { environment: "e" });
  await rig.pass();
  await rig.patch("Environment", "e", { spec: { approvedPlan: "p" } });
  await rig.pass(5_000);
  assert.deepEqual(await rig.machines(), []);
  assert.equal(await rig.phase(), "DeployedFail");
});

test("actions of Environments with long names run", async () => {
  await using rig = await openRig();
  const name = "e".repeat(55);
  const template = { apiVersion: "v1", kind: "ConfigMap", data: { x: "1" } };
  await rig.template([machine("a")], {
    actions: [{ name: "act", on: ["AfterDeploy"], template }],
  });
  await rig.environment({}, name);
  await rig.pass();
  await rig.ready(`${name}.a`);
  await rig.pass(5_000);
  const action = await rig.read("Operation", `${name}.deploy-1.act`);
  assert.equal(textAt(action?.status, "phase"), "Succeeded", textAt(action?.status, "message"));
});

test("many Operations do not displace the newest deployment", async () => {
  await using rig = await openRig();
  await rig.template([machine("a")]);
  await rig.environment();
  await deployed(rig, ["e.a"]);
  const { uid } = (await rig.read("Operation", "e.deploy-1"))?.metadata ?? {};
  for (let at = 0; at < 110; at += 1) {
    await rig.create("Operation", `check-${at}`, { environment: "e", type: "Retry" });
    await rig.pass();
  }
  await rig.pass(10_000);
  assert.ok((await rig.names(operations)).length < 105);
  assert.equal((await rig.read("Operation", "e.deploy-1"))?.metadata.uid, uid);
});

test("actions after a deployment are not lost when they cannot be queued at once", async () => {
  await using rig = await openRig();
  const template = { apiVersion: "v1", kind: "ConfigMap", data: { x: "1" } };
  await rig.template([machine("a")], {
    actions: [{ name: "act", on: ["AfterDeploy"], template }],
  });
  // In place of a server that stops between the end of the deployment and its actions.
  const metadata = { name: "e.deploy-1.act", namespace: "team" };
  const spec = { environment: "other", type: "Action", action: "act" };
  await rig.memory.create({ apiVersion, kind: "Operation", metadata, spec });
  await rig.environment();
  await rig.pass();
  await rig.ready("e.a");
  await rig.pass(5_000);
  await rig.remove("Operation", "e.deploy-1.act");
  await rig.pass(60_000);
  const action = await rig.read("Operation", "e.deploy-1.act");
  assert.equal(textAt(action?.status, "phase"), "Succeeded");
  assert.equal(await rig.phase(), "DeployedOk");
});

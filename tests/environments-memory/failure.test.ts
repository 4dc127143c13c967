import assert from "node:assert/strict";
import { test } from "node:test";
import { numberAt, objectAt, textAt } from "../../src/kernel/json-read.ts";
import { machine, openRig } from "./rig.ts";

test("a failure stops only dependants, and a retry touches only what is unfinished", async () => {
  await using rig = await openRig();
  await rig.template([machine("a"), machine("b"), machine("c", { dependsOn: ["a"] })]);
  await rig.environment();
  await rig.pass();
  await rig.fail("e.a", "no quota");
  await rig.ready("e.b");
  await rig.pass();
  let environment = await rig.read("Environment", "e");
  assert.equal(textAt(environment?.status, "phase"), "DeployedFail");
  assert.match(textAt(environment?.status, "message"), /e\.a: Broken; 1 other resource waits/);
  assert.deepEqual(await rig.machines(), ["e.a", "e.b"]);
  const failed = await rig.read("Operation", "e.deploy-1");
  assert.equal(textAt(failed?.status, "phase"), "Failed");
  const b = (await rig.read("Machine", "e.b"))?.metadata.resourceVersion;
  await rig.create("Operation", "retry", { environment: "e", type: "Retry" });
  await rig.pass();
  const a = await rig.read("Machine", "e.a");
  assert.equal(a?.metadata.annotations?.["setpoint.dev/reconcile"], "retry");
  assert.equal((await rig.read("Machine", "e.b"))?.metadata.resourceVersion, b);
  await rig.ready("e.a");
  await rig.machineStatus("e.a", { reconcile: { handledRequest: "retry" } });
  await rig.pass();
  assert.deepEqual(await rig.machines(), ["e.a", "e.b", "e.c"]);
  await rig.ready("e.c");
  await rig.machineStatus("e.c", { reconcile: { handledRequest: "retry" } });
  await rig.pass(5_000);
  environment = await rig.read("Environment", "e");
  assert.equal(textAt(environment?.status, "phase"), "DeployedOk");
  assert.equal(textAt((await rig.read("Operation", "retry"))?.status, "phase"), "Succeeded");
});

test("a retry that fails again ends as Failed, also without a target", async () => {
  await using rig = await openRig();
  const secret = { key: "s", template: { apiVersion: "v1", kind: "Secret" } };
  await rig.template([machine("a"), secret]);
  await rig.environment();
  await rig.pass();
  await rig.fail("e.a");
  await rig.pass();
  await rig.create("Operation", "retry", { environment: "e", type: "Retry" });
  await rig.pass();
  await rig.machineStatus("e.a", { reconcile: { handledRequest: "retry" } });
  await rig.pass(5_000);
  const { status } = (await rig.read("Operation", "retry")) ?? {};
  assert.equal(textAt(status, "phase"), "Failed");
  assert.equal(numberAt(status, "progress", "done"), 0);
});

test("run from here runs a resource and its dependants again, in order", async () => {
  await using rig = await openRig();
  await rig.template([machine("a"), machine("b", { dependsOn: ["a"] }), machine("c")]);
  await rig.environment();
  await rig.pass();
  for (const name of ["e.a", "e.c"]) await rig.ready(name);
  await rig.ready("e.b");
  await rig.pass();
  const other = (await rig.read("Machine", "e.c"))?.metadata.resourceVersion;
  await rig.create("Operation", "again", { environment: "e", type: "Retry", resource: "a" });
  await rig.pass();
  const request = "setpoint.dev/reconcile";
  assert.equal((await rig.read("Machine", "e.a"))?.metadata.annotations?.[request], "again");
  assert.equal((await rig.read("Machine", "e.b"))?.metadata.annotations?.[request], undefined);
  await rig.machineStatus("e.a", { reconcile: { handledRequest: "again" } });
  await rig.pass();
  assert.equal((await rig.read("Machine", "e.b"))?.metadata.annotations?.[request], "again");
  await rig.machineStatus("e.b", { reconcile: { handledRequest: "again" } });
  await rig.pass(5_000);
  assert.equal(textAt((await rig.read("Operation", "again"))?.status, "phase"), "Succeeded");
  assert.equal((await rig.read("Machine", "e.c"))?.metadata.resourceVersion, other);
});

test("a ServiceAccount without rights fails the resource and names the missing right", async () => {
  await using rig = await openRig();
  const secret = { apiVersion: "v1", kind: "Secret", stringData: { a: "b" } };
  await rig.template([{ key: "s", template: secret }]);
  await rig.environment();
  await rig.pass();
  const resource = await rig.read("EnvironmentResource", "e.s");
  assert.equal(textAt(resource?.status, "state"), "Failed");
  assert.match(
    textAt(resource?.status, "message"),
    /system:serviceaccount:team:environment" cannot create resource "secrets"/,
  );
  assert.equal(await rig.phase(), "DeployedFail");
});

test("cancel starts nothing more, asks a running target to stop, and frees the next", async () => {
  await using rig = await openRig();
  await rig.template([machine("a"), machine("b", { dependsOn: ["a"] })]);
  await rig.environment();
  await rig.pass();
  await rig.patch("Operation", "e.deploy-1", { spec: { cancel: "Graceful" } });
  await rig.pass(3_000);
  const a = await rig.read("Machine", "e.a");
  assert.equal(a?.metadata.annotations?.["environments.setpoint.dev/cancel"], "e.deploy-1");
  assert.equal(textAt((await rig.read("Operation", "e.deploy-1"))?.status, "phase"), "Running");
  const at = { lastTransitionTime: "2026-01-01T00:00:00Z", observedGeneration: 1 };
  const synced = { type: "Synced", status: "False", reason: "Cancelled", message: "stopped" };
  await rig.machineStatus("e.a", { observedGeneration: 1, conditions: [{ ...synced, ...at }] });
  await rig.pass(5_000);
  assert.equal(textAt((await rig.read("Operation", "e.deploy-1"))?.status, "phase"), "Cancelled");
  const environment = await rig.read("Environment", "e");
  assert.equal(textAt(environment?.status, "phase"), "DeployedFail");
  assert.equal(textAt(environment?.status, "reason"), "Cancelled");
  assert.deepEqual(await rig.machines(), ["e.a"]);
  await rig.patch("Environment", "e", { spec: { tags: { try: "2" } } });
  await rig.pass(5_000);
  const freed = await rig.read("Machine", "e.a");
  assert.equal(freed?.metadata.annotations?.["environments.setpoint.dev/cancel"], undefined);
  await rig.ready("e.a");
  await rig.ready("e.b");
  await rig.pass(5_000);
  assert.equal(await rig.phase(), "DeployedOk");
});

test("three quick edits are one intent, and a change waits for the running Operation", async () => {
  await using rig = await openRig();
  await rig.template([machine("a", {}, { size: "${parameters.size}" })], {
    parameters: { size: { type: "integer", default: 1 } },
  });
  await rig.environment();
  await rig.pass();
  for (const size of [2, 3, 4]) {
    await rig.patch("Environment", "e", { spec: { parameters: { size } } });
  }
  await rig.pass();
  assert.equal(numberAt((await rig.read("Machine", "e.a"))?.spec, "size"), 1);
  await rig.ready("e.a");
  await rig.pass(3_000);
  assert.equal(numberAt((await rig.read("Machine", "e.a"))?.spec, "size"), 4);
  const operations = await rig.names("operations.environments.setpoint.dev");
  assert.deepEqual(operations, ["e.deploy-1", "e.deploy-4"]);
});

test("a rollback restores an earlier deployment", async () => {
  await using rig = await openRig();
  await rig.template([machine("a", {}, { size: "${parameters.size}" })], {
    parameters: { size: { type: "integer", default: 1 } },
  });
  await rig.environment({ parameters: { size: 1 } });
  await rig.pass();
  await rig.ready("e.a");
  await rig.patch("Environment", "e", { spec: { parameters: { size: 9 } } });
  await rig.pass();
  await rig.ready("e.a");
  await rig.pass();
  assert.equal(numberAt((await rig.read("Machine", "e.a"))?.spec, "size"), 9);
  await rig.create("Operation", "back", { environment: "e", type: "Rollback", to: "e.deploy-1" });
  await rig.pass(5_000);
  assert.equal(numberAt((await rig.read("Machine", "e.a"))?.spec, "size"), 1);
  const environment = await rig.read("Environment", "e");
  assert.deepEqual(objectAt(environment?.spec, "parameters"), { size: 1 });
});

test("a restart of the server continues a deployment where it was", async () => {
  await using rig = await openRig();
  await rig.template([machine("a"), machine("b", { dependsOn: ["a"] })]);
  await rig.environment();
  await rig.pass();
  await rig.restart();
  await rig.ready("e.a");
  await rig.restart();
  await rig.ready("e.b");
  await rig.pass(5_000);
  assert.equal(await rig.phase(), "DeployedOk");
  assert.deepEqual(await rig.names("operations.environments.setpoint.dev"), ["e.deploy-1"]);
});

test("a retry that fails again ends as Failed, with and without a target", async () => {
  await using rig = await openRig();
  const secret = {
    key: "s",
    template: { apiVersion: "v1", kind: "Secret", stringData: { a: "b" } },
  };
  await rig.template([machine("a"), secret]);
  await rig.environment();
  await rig.pass();
  await rig.fail("e.a");
  await rig.pass();
  await rig.create("Operation", "retry", { environment: "e", type: "Retry" });
  await rig.pass();
  await rig.machineStatus("e.a", { reconcile: { handledRequest: "retry" } });
  await rig.pass(5_000);
  const operation = await rig.read("Operation", "retry");
  assert.equal(textAt(operation?.status, "phase"), "Failed");
});

test("a forced cancellation does not wait for a target that ignores it", async () => {
  await using rig = await openRig();
  await rig.template([machine("a")]);
  await rig.environment();
  await rig.pass();
  await rig.patch("Operation", "e.deploy-1", { spec: { cancel: "Graceful" } });
  await rig.pass(5_000);
  assert.equal(textAt((await rig.read("Operation", "e.deploy-1"))?.status, "phase"), "Running");
  await rig.patch("Operation", "e.deploy-1", { spec: { cancel: "Force" } });
  await rig.pass(5_000);
  assert.equal(textAt((await rig.read("Operation", "e.deploy-1"))?.status, "phase"), "Cancelled");
  const target = await rig.read("Machine", "e.a");
  assert.equal(
    target?.metadata.annotations?.["environments.setpoint.dev/force-cancel"],
    "e.deploy-1",
  );
});

test("a change of a target by another client is corrected", async () => {
  await using rig = await openRig();
  await rig.template([machine("a", {}, { size: 1 })]);
  await rig.environment();
  await rig.pass();
  await rig.ready("e.a");
  await rig.patch("Machine", "e.a", { spec: { size: 9 } });
  await rig.pass();
  assert.equal(numberAt((await rig.read("Machine", "e.a"))?.spec, "size"), 1);
});

test("another version with another kind replaces the target of the same key", async () => {
  await using rig = await openRig();
  await rig.template([machine("a")]);
  await rig.environment();
  await rig.pass();
  await rig.ready("e.a");
  await rig.create("Template", "t.v2", {
    id: "t",
    version: 2,
    resources: [{ key: "a", template: { apiVersion: "v1", kind: "ConfigMap", data: { b: "c" } } }],
  });
  await rig.patch("Environment", "e", { spec: { templates: ["t.v2"] } });
  await rig.pass(5_000);
  assert.deepEqual(await rig.machines(), []);
  assert.deepEqual(await rig.names("configmaps"), ["e.a"]);
  assert.equal(await rig.phase(), "DeployedOk");
});

test("an Operation names a resource that the Environment has", async () => {
  await using rig = await openRig();
  await rig.template([machine("frontend")]);
  await rig.environment();
  await rig.pass();
  await assert.rejects(
    rig.create("Operation", "again", { environment: "e", type: "Retry", resource: "fronted" }),
    /spec\.resource: .*no resource of this key or name; did you mean frontend/,
  );
});

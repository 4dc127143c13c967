// What follows a deployment and a destruction also when something fails first; cancellation of
// what has not begun, and of drift checks.
import assert from "node:assert/strict";
import { test } from "node:test";
import { systemCaller, targetFor } from "../../src/intents/bootstrap.ts";
import { deleteResource } from "../../src/intents/write/delete.ts";
import { timeText } from "../../src/kernel/clock.ts";
import { listAt, objectAt, textAt } from "../../src/kernel/json-read.ts";
import { apiVersion, machine, machineVersion, openRig } from "./rig.ts";
import type { Rig } from "./rig.ts";

const at = { apiVersion, kind: "Environment", namespace: "team", name: "e" };

async function operationPhase(rig: Rig, name: string): Promise<string> {
  return textAt((await rig.read("Operation", name))?.status, "phase");
}

for (const how of ["a Retry", "its own next attempt"]) {
  test(`a failed deployment that ${how} completes runs its actions, and is deployed`, async () => {
    await using rig = await openRig();
    const document = { apiVersion: "v1", kind: "ConfigMap", data: { done: "yes" } };
    await rig.template([machine("a")], {
      actions: [{ name: "seed", on: ["AfterDeploy"], template: document }],
    });
    await rig.environment();
    await rig.pass();
    await rig.fail("e.a");
    await rig.pass(5_000);
    assert.equal(await operationPhase(rig, "e.deploy-1"), "Failed");
    assert.deepEqual(await rig.names("configmaps"), []);
    if (how === "a Retry") {
      await rig.create("Operation", "again", { environment: "e", type: "Retry" });
      await rig.pass();
      await rig.ready("e.a");
      await rig.machineStatus("e.a", { reconcile: { handledRequest: "again" } });
    } else await rig.ready("e.a");
    await rig.pass(5_000);
    const environment = await rig.read("Environment", "e");
    assert.equal(textAt(environment?.status, "phase"), "DeployedOk");
    assert.equal(textAt(environment?.status, "deployed", "operation"), "e.deploy-1");
    assert.deepEqual(await rig.names("configmaps"), ["e.deploy-1.seed"]);
  });
}

test("a change that awaits approval can be cancelled", async () => {
  await using rig = await openRig();
  await rig.template([machine("a")]);
  await rig.environment({ approval: "Required" });
  await rig.pass(5_000);
  assert.equal(await operationPhase(rig, "e.deploy-1"), "AwaitingApproval");
  await rig.patch("Operation", "e.deploy-1", { spec: { cancel: "Graceful" } });
  await rig.pass(5_000);
  assert.equal(await operationPhase(rig, "e.deploy-1"), "Cancelled");
  assert.equal(await rig.phase(), "DeployedFail");
  assert.deepEqual(await rig.machines(), []);
});

test("an Operation that is cancelled while it is queued does not begin", async () => {
  await using rig = await openRig();
  const document = { apiVersion: "v1", kind: "ConfigMap", data: {} };
  await rig.template([machine("a")], { actions: [{ name: "ping", template: document }] });
  await rig.environment();
  await rig.pass();
  await rig.create("Operation", "now", { environment: "e", type: "Action", action: "ping" });
  await rig.patch("Operation", "now", { spec: { cancel: "Graceful" } });
  await rig.ready("e.a");
  await rig.pass(5_000);
  assert.equal(await operationPhase(rig, "now"), "Cancelled");
  assert.deepEqual(await rig.names("configmaps"), []);
});

test("a cancellation ends when an unchanged dependant waits for what was cancelled", async () => {
  await using rig = await openRig();
  const parameters = { size: { type: "integer", default: 1 } };
  const a = machine("a", {}, { size: "${parameters.size}" });
  const b = machine("b", {}, { host: "${resources.a.outputs.host}" });
  await rig.template([a, b], { parameters });
  await rig.environment();
  await rig.pass();
  await rig.ready("e.a", { host: "one" });
  await rig.ready("e.b");
  await rig.pass(5_000);
  assert.equal(await rig.phase(), "DeployedOk");
  await rig.patch("Environment", "e", { spec: { parameters: { size: 2 } } });
  await rig.pass();
  await rig.patch("Operation", "e.deploy-2", { spec: { cancel: "Graceful" } });
  await rig.pass();
  const stopped = { type: "Synced", status: "False", reason: "Cancelled", message: "stopped" };
  const when = { lastTransitionTime: "2026-01-01T00:00:00Z", observedGeneration: 2 };
  await rig.machineStatus("e.a", { observedGeneration: 2, conditions: [{ ...stopped, ...when }] });
  await rig.pass(10_000);
  assert.equal(await operationPhase(rig, "e.deploy-2"), "Cancelled");
  assert.equal(await rig.phase(), "DeployedFail");
  await rig.create("Operation", "retry", { environment: "e", type: "Retry" });
  await rig.pass();
  const done = { handledRequest: "retry" };
  for (const name of ["e.a", "e.b"]) {
    await rig.ready(name, { host: "one" });
    await rig.machineStatus(name, { reconcile: done });
    await rig.pass(3_000);
  }
  assert.equal(await operationPhase(rig, "retry"), "Succeeded");
  assert.equal(await rig.phase(), "DeployedOk");
});

test("a cancellation ends when a deployed resource waits for an ExternalResource", async () => {
  await using rig = await openRig();
  await rig.create("ExternalResource", "ledger", { outputs: { url: "one" } });
  const reading = machine("b", {}, { ledger: "${externals.ledger.outputs.url}" });
  await rig.template([machine("a", {}, { size: "${parameters.size}" }), reading], {
    parameters: { size: { type: "integer", default: 1 } },
    externals: [{ name: "ledger" }],
  });
  await rig.environment();
  await rig.pass();
  await rig.ready("e.a");
  await rig.ready("e.b");
  await rig.pass(5_000);
  assert.equal(await rig.phase(), "DeployedOk");
  const missing = { apiVersion: machineVersion, kind: "Machine", name: "missing" };
  await rig.patch("ExternalResource", "ledger", { spec: { outputs: null, resource: missing } });
  await rig.patch("Environment", "e", { spec: { parameters: { size: 2 } } });
  await rig.pass(5_000);
  await rig.ready("e.a");
  const waiting = await rig.read("EnvironmentResource", "e.b");
  assert.equal(textAt(waiting?.status, "state"), "Waiting");
  await rig.patch("Operation", "e.deploy-2", { spec: { cancel: "Graceful" } });
  await rig.pass(10_000);
  assert.equal(await operationPhase(rig, "e.deploy-2"), "Cancelled");
});

async function driftCheck(rig: Rig): Promise<void> {
  await rig.template([machine("a", {}, { size: "${parameters.size}" })], {
    parameters: { size: { type: "integer", default: 1 } },
  });
  await rig.environment();
  await rig.pass();
  await rig.ready("e.a");
  await rig.pass(5_000);
  await rig.create("Operation", "check", { environment: "e", type: "CheckDrift" });
  await rig.pass(5_000);
  assert.equal(await operationPhase(rig, "check"), "Running");
}

test("a drift check without an answer is cancelled on request", async () => {
  await using rig = await openRig();
  await driftCheck(rig);
  await rig.patch("Operation", "check", { spec: { cancel: "Graceful" } });
  await rig.pass(5_000);
  assert.equal(await operationPhase(rig, "check"), "Cancelled");
});

test("a change does not wait for a drift check", async () => {
  await using rig = await openRig();
  await driftCheck(rig);
  await rig.patch("Environment", "e", { spec: { parameters: { size: 2 } } });
  await rig.pass(5_000);
  assert.equal(await operationPhase(rig, "check"), "Superseded");
  assert.equal(await operationPhase(rig, "e.deploy-2"), "Running");
});

test("a retry and a rollback do not wait for a drift check", async () => {
  for (const [type, more] of [
    ["Retry", {}],
    ["Rollback", { to: "e.deploy-1" }],
  ] as const) {
    await using rig = await openRig();
    await driftCheck(rig);
    await rig.create("Operation", "urgent", { environment: "e", type, ...more });
    await rig.pass(3_000);
    assert.equal(textAt((await rig.read("Operation", "check"))?.status, "phase"), "Superseded");
    const urgent = textAt((await rig.read("Operation", "urgent"))?.status, "phase");
    assert.equal(urgent, "Succeeded", type);
  }
});

test("a drift check without an answer ends, and names the silent resources", async () => {
  await using rig = await openRig();
  await driftCheck(rig);
  await rig.pass(7_300_000);
  const check = await rig.read("Operation", "check");
  assert.equal(textAt(check?.status, "phase"), "Failed");
  assert.match(textAt(check?.status, "message"), /e\.a/);
});

test("an action before a destruction that fails holds it, until it succeeds", async () => {
  await using rig = await openRig();
  const backup = { apiVersion: machineVersion, kind: "Machine", spec: {} };
  await rig.template([machine("a")], {
    actions: [{ name: "backup", on: ["BeforeDestroy"], template: backup }],
  });
  await rig.environment();
  await rig.pass();
  await rig.ready("e.a");
  await rig.pass(5_000);
  await rig.patch("Environment", "e", { spec: { desired: "Destroyed" } });
  await rig.pass(3_000);
  await rig.fail("e.destroy-2.backup", "the disk is full");
  await rig.pass(5_000);
  const environment = await rig.read("Environment", "e");
  assert.equal(textAt(environment?.status, "phase"), "Destroying");
  assert.equal(textAt(environment?.status, "reason"), "DestructionFailed");
  assert.match(
    textAt(environment?.status, "message"),
    /the disk is full; to go on without it, cancel the Operation e\.destroy-2\.backup/,
  );
  assert.deepEqual(await rig.machines(), ["e.a", "e.destroy-2.backup"]);
  await rig.ready("e.destroy-2.backup");
  await rig.pass(5_000);
  assert.equal(await rig.phase(), "Destroyed");
});

test("a failing action does not hold the deletion of a namespace", async () => {
  await using rig = await openRig();
  const backup = { apiVersion: "v1", kind: "Secret", stringData: { a: "b" } };
  await rig.template([machine("a")], {
    actions: [{ name: "backup", on: ["BeforeDestroy"], template: backup }],
  });
  await rig.environment();
  await rig.pass();
  await rig.ready("e.a");
  await rig.pass(5_000);
  await rig.patch("Environment", "e", { spec: { desired: "Destroyed" } });
  await rig.pass(5_000);
  assert.equal(textAt((await rig.read("Environment", "e"))?.status, "reason"), "DestructionFailed");
  await rig.remove("Namespace", "team");
  await rig.pass(200_000);
  assert.equal(await rig.read("Namespace", "team"), undefined);
});

test("an action reads secret outputs of resources into secret fields", async () => {
  await using rig = await openRig();
  const spec = { password: "${resources.a.secretOutputs.password}" };
  await rig.template([machine("a")], {
    actions: [{ name: "seed", template: { apiVersion: machineVersion, kind: "Machine", spec } }],
  });
  await rig.environment();
  await rig.pass();
  const owner = await rig.read("Machine", "e.a");
  const reference = { apiVersion: machineVersion, kind: "Machine", name: "e.a" };
  await rig.memory.create({
    apiVersion: "v1",
    kind: "Secret",
    metadata: {
      name: "a-outputs",
      namespace: "team",
      ownerReferences: [{ ...reference, uid: owner?.metadata.uid ?? "" }],
    },
    stringData: { password: "sentinel-password" },
  });
  await rig.ready("e.a");
  await rig.machineStatus("e.a", { secretOutputs: { name: "a-outputs", keys: ["password"] } });
  await rig.pass(5_000);
  await rig.create("Operation", "now", { environment: "e", type: "Action", action: "seed" });
  await rig.pass(5_000);
  const target = await rig.read("Machine", "now");
  assert.equal(textAt(target?.spec, "password"), "sentinel-password");
});

test("the outputs of a count are read by their position, also beyond ten", async () => {
  await using rig = await openRig();
  const document = {
    apiVersion: "v1",
    kind: "ConfigMap",
    data: { at: "${resources.a[2].outputs.n}" },
  };
  await rig.template([machine("a", { count: 12 })], {
    actions: [{ name: "seed", template: document }],
    entryPoints: [{ name: "third", url: "https://example.org/${resources.a[2].outputs.n}" }],
  });
  await rig.environment();
  await rig.pass();
  for (let n = 0; n < 12; n += 1) await rig.ready(`e.a.${n}`, { n: `n${n}` });
  await rig.pass(5_000);
  await rig.create("Operation", "now", { environment: "e", type: "Action", action: "seed" });
  await rig.pass(5_000);
  const map = (await rig.read("ConfigMap", "now")) as { readonly data?: { readonly at?: string } };
  assert.equal(map.data?.at, "n2");
  const [link] = listAt((await rig.read("Environment", "e"))?.status, "entryPoints");
  assert.equal(textAt(link, "url"), "https://example.org/n2");
});

test("an output that a target does not have any more is removed", async () => {
  await using rig = await openRig();
  await rig.template([machine("a")]);
  await rig.environment();
  await rig.pass();
  await rig.ready("e.a", { old: "1" });
  await rig.pass();
  await rig.machineStatus("e.a", { outputs: { old: null, next: "2" } });
  await rig.pass();
  const resource = await rig.read("EnvironmentResource", "e.a");
  assert.deepEqual(objectAt(resource?.status, "outputs"), { next: "2" });
});

test("a date that moved while the destruction began is kept", async () => {
  await using rig = await openRig();
  await rig.template([machine("a")]);
  const inMs = (ms: number): string => timeText(rig.memory.surroundings.clock.nowMs() + ms);
  await assert.rejects(
    rig.environment({ plannedDestruction: { at: inMs(-60_000) } }),
    /spec\.plannedDestruction\.at: .*must be in the future/,
  );
  await rig.environment({ plannedDestruction: { at: inMs(60_000) } });
  await rig.pass();
  await rig.ready("e.a");
  await rig.pass(120_000);
  assert.equal(await rig.phase(), "Destroyed");
  await rig.as("admin", ["system:masters"]).patch(at, { spec: { desired: "Deployed" } });
  await rig.pass(5_000);
  await rig.ready("e.a");
  await rig.pass(2_000_000);
  assert.equal(await rig.phase(), "DeployedOk");
});

test("a maximum lifetime forbids Keep, and begins again with a deployment", async () => {
  await using rig = await openRig({ overdueGraceSeconds: 0 });
  await rig.template([machine("a")], { lifetime: { maximumSeconds: 3_600 } });
  await assert.rejects(
    rig.environment({ plannedDestruction: { onDue: "Keep" } }),
    /spec\.plannedDestruction\.onDue: .*must be Destroy/,
  );
  await rig.environment();
  await rig.pass();
  await rig.ready("e.a");
  await rig.pass(3_700_000);
  assert.equal(await rig.phase(), "Destroyed");
  await rig.patch("Environment", "e", { spec: { desired: "Deployed" } });
  await rig.pass(5_000);
  await rig.ready("e.a");
  await rig.pass(1_000_000);
  assert.equal(await rig.phase(), "DeployedOk");
  await rig.pass(2_700_000);
  assert.equal(await rig.phase(), "Destroyed");
});

test("a deletion in the foreground destroys without the Operation that it deletes", async () => {
  await using rig = await openRig();
  await rig.template([machine("a"), machine("b", { dependsOn: ["a"] })]);
  await rig.environment();
  await rig.pass();
  await rig.ready("e.a");
  await rig.ready("e.b");
  await rig.pass(5_000);
  const { intents } = rig.memory.plane;
  const document = { ...at, metadata: { name: at.name, namespace: at.namespace } };
  await deleteResource(intents, {
    caller: systemCaller,
    target: { ...targetFor(intents, document).target, name: at.name },
    options: {
      isDryRun: false,
      propagation: "Foreground",
      preconditions: {},
      raw: { propagationPolicy: "Foreground" },
    },
  });
  await rig.pass(20_000);
  assert.equal(await rig.read("Environment", "e"), undefined);
  assert.deepEqual(await rig.machines(), []);
  const [name = ""] = await rig.names("destroyedenvironments.environments.setpoint.dev");
  assert.match(name, /^e\./);
  assert.deepEqual(
    rig.lines.filter((line) => line.includes("run failed")),
    [],
  );
});

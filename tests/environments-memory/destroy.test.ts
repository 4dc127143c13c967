import assert from "node:assert/strict";
import { test } from "node:test";
import { objectAt, textAt } from "../../src/kernel/json-read.ts";
import { machine, machineVersion, openRig, transitionsOf } from "./rig.ts";
import type { Rig } from "./rig.ts";

const hold = "example.dev/hold";

/** Three machines in a chain, each held by a finalizer as an external system would. */
async function deployedChain(rig: Rig): Promise<void> {
  await rig.template([
    machine("a"),
    machine("b", { dependsOn: ["a"] }),
    machine("c", { dependsOn: ["b"] }),
  ]);
  await rig.environment();
  await rig.pass();
  for (const name of ["e.a", "e.b", "e.c"]) {
    await rig.patch("Machine", name, { metadata: { finalizers: [hold] } });
    await rig.ready(name);
  }
  await rig.pass();
  assert.equal(await rig.phase(), "DeployedOk");
}

/** Removes machines as they are asked to go, and returns the order. */
async function releaseInTurn(rig: Rig): Promise<readonly string[]> {
  const order: string[] = [];
  for (let round = 0; round < 30; round += 1) {
    const asked: string[] = [];
    for (const name of await rig.machines()) {
      const found = await rig.read("Machine", name);
      if (found?.metadata.deletionTimestamp !== undefined) asked.push(name);
    }
    assert.ok(asked.length <= 1, `removed at the same time: ${asked.join(" ")}`);
    const [name] = asked;
    if (name === undefined) {
      if ((await rig.machines()).length === 0) return order;
      await rig.pass();
      continue;
    }
    order.push(name);
    await rig.patch("Machine", name, { metadata: { finalizers: null } });
    await rig.pass();
  }
  return order;
}

test("desired: Destroyed removes in reverse order and keeps the Environment", async () => {
  await using rig = await openRig();
  await deployedChain(rig);
  await rig.patch("Environment", "e", { spec: { desired: "Destroyed" } });
  await rig.pass();
  assert.equal(await rig.phase(), "Destroying");
  assert.deepEqual(await releaseInTurn(rig), ["e.c", "e.b", "e.a"]);
  await rig.pass(5_000);
  const environment = await rig.read("Environment", "e");
  assert.deepEqual(transitionsOf(environment).slice(-2), ["Destroying", "Destroyed"]);
  assert.notEqual(textAt(environment?.status, "destroyedAt"), "");
  const operation = await rig.read("Operation", "e.destroy-2");
  assert.equal(textAt(operation?.status, "phase"), "Succeeded");
});

test("kubectl delete removes in reverse order and leaves a readable record", async () => {
  await using rig = await openRig({ retentionSeconds: 600 });
  await deployedChain(rig);
  await rig.remove("Environment", "e");
  await rig.pass();
  assert.deepEqual(await releaseInTurn(rig), ["e.c", "e.b", "e.a"]);
  await rig.pass(5_000);
  assert.equal(await rig.read("Environment", "e"), undefined);
  const [name = ""] = await rig.names("destroyedenvironments.environments.setpoint.dev");
  const record = await rig.read("DestroyedEnvironment", name);
  assert.equal(textAt(record?.spec, "id"), "e");
  assert.equal(textAt(record?.spec, "environment", "status", "phase"), "Destroyed");
  await rig.pass(700_000);
  assert.deepEqual(await rig.names("destroyedenvironments.environments.setpoint.dev"), []);
});

test("the deletion of the namespace removes in reverse order", async () => {
  await using rig = await openRig();
  await deployedChain(rig);
  await rig.remove("Namespace", "team");
  await rig.pass();
  assert.deepEqual(await releaseInTurn(rig), ["e.c", "e.b", "e.a"]);
  await rig.pass(10_000);
  assert.equal(await rig.read("Namespace", "team"), undefined);
});

test("the deletion of a target by a user is refused while its Environment wants it", async () => {
  await using rig = await openRig();
  await deployedChain(rig);
  await assert.rejects(rig.remove("Machine", "e.a"), /belongs to the EnvironmentResource e\.a/);
});

test("a destroyed Environment frees its display name and its Template", async () => {
  await using rig = await openRig();
  await rig.template([machine("a")]);
  await rig.environment({ displayName: "Shop" });
  await rig.pass();
  await assert.rejects(rig.environment({ displayName: "shop" }, "f"), /is used by e/);
  await assert.rejects(rig.remove("Template", "t.v1"), /is used by/);
  await rig.patch("Environment", "e", { spec: { desired: "Destroyed" } });
  await rig.pass(5_000);
  assert.equal(await rig.phase(), "Destroyed");
  await rig.environment({ displayName: "shop" }, "f");
  await rig.patch("Environment", "f", { spec: { desired: "Destroyed" } });
  await rig.pass(5_000);
  await rig.remove("Template", "t.v1");
});

test("a target that cannot be removed keeps the phase Destroying, with the reason", async () => {
  await using rig = await openRig();
  await deployedChain(rig);
  await rig.patch("Environment", "e", { spec: { desired: "Destroyed" } });
  await rig.pass();
  await rig.fail("e.c", "the disk is locked");
  await rig.pass(5_000);
  const environment = await rig.read("Environment", "e");
  assert.equal(textAt(environment?.status, "phase"), "Destroying");
  assert.equal(textAt(environment?.status, "reason"), "DestructionFailed");
  assert.match(textAt(environment?.status, "message"), /the disk is locked/);
  assert.deepEqual(await rig.machines(), ["e.a", "e.b", "e.c"]);
});

test("a change that was cancelled before is no failure of the destruction", async () => {
  await using rig = await openRig();
  await deployedChain(rig);
  const at = { lastTransitionTime: "2026-01-01T00:00:00Z", observedGeneration: 1 };
  const synced = { type: "Synced", status: "False", reason: "Cancelled", message: "stopped" };
  await rig.machineStatus("e.c", { conditions: [{ ...synced, ...at }] });
  await rig.patch("Environment", "e", { spec: { desired: "Destroyed" } });
  await rig.pass(5_000);
  const environment = await rig.read("Environment", "e");
  assert.deepEqual(await rig.machines(), ["e.a", "e.b", "e.c"]);
  assert.equal(textAt(environment?.status, "phase"), "Destroying");
  assert.equal(textAt(environment?.status, "reason"), "Destroying");
});

test("a smaller count removes the surplus and nothing else", async () => {
  await using rig = await openRig();
  await rig.template([machine("web", { count: "${parameters.n}" })], {
    parameters: { n: { type: "integer", default: 3 } },
  });
  await rig.environment();
  await rig.pass();
  assert.deepEqual(await rig.machines(), ["e.web.0", "e.web.1", "e.web.2"]);
  for (const name of await rig.machines()) await rig.ready(name);
  const before = (await rig.read("Machine", "e.web.0"))?.metadata;
  await rig.patch("Environment", "e", { spec: { parameters: { n: 1 } } });
  await rig.pass(5_000);
  assert.deepEqual(await rig.machines(), ["e.web.0"]);
  const after = (await rig.read("Machine", "e.web.0"))?.metadata;
  assert.equal(after?.uid, before?.uid);
  assert.equal(after?.generation, before?.generation);
  const operation = await rig.read("Operation", "e.deploy-2");
  assert.deepEqual(objectAt(operation?.status, "changes")["removed"], 2);
});

test("the cancellation of a destruction is refused, and does not skip its actions", async () => {
  await using rig = await openRig();
  const backup = { apiVersion: machineVersion, kind: "Machine", spec: {} };
  await rig.template([machine("a")], {
    actions: [{ name: "backup", on: ["BeforeDestroy"], template: backup }],
  });
  await rig.environment();
  await rig.pass();
  await rig.ready("e.a");
  await rig.patch("Environment", "e", { spec: { desired: "Destroyed" } });
  await rig.pass(3_000);
  await assert.rejects(
    rig.patch("Operation", "e.destroy-2", { spec: { cancel: "Graceful" } }),
    /spec\.cancel: .*set spec\.desired of the Environment to Deployed/,
  );
  await rig.pass(5_000);
  assert.deepEqual(await rig.machines(), ["e.a", "e.destroy-2.backup"]);
  await rig.patch("Operation", "e.destroy-2.backup", { spec: { cancel: "Force" } });
  await rig.pass(5_000);
  assert.equal(await rig.phase(), "Destroyed");
});

test("operations of an Environment that is destroyed are refused, or end", async () => {
  await using rig = await openRig();
  await rig.template([machine("a")]);
  await rig.environment();
  await rig.pass();
  await rig.ready("e.a");
  await rig.pass(3_000);
  // Queued before the destruction is known.
  await rig.create("Operation", "early", { environment: "e", type: "CheckDrift" });
  await rig.patch("Environment", "e", { spec: { desired: "Destroyed" } });
  await assert.rejects(
    rig.create("Operation", "late", { environment: "e", type: "Retry" }),
    /spec\.environment: .*destroyed, or will be: deploy it first \(setpoint env deploy e\)/,
  );
  await rig.pass(5_000);
  assert.equal(await rig.phase(), "Destroyed");
  assert.equal(textAt((await rig.read("Operation", "early"))?.status, "phase"), "Superseded");
});

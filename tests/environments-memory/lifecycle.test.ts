import assert from "node:assert/strict";
import { test } from "node:test";
import { timeText } from "../../src/kernel/clock.ts";
import { listAt, objectAt, textAt } from "../../src/kernel/json-read.ts";
import { decodeDocument } from "../../src/kernel/document.ts";
import { machine, openRig, transitionsOf } from "./rig.ts";
import type { Rig } from "./rig.ts";

function inSeconds(rig: Rig, seconds: number): string {
  return timeText(rig.memory.surroundings.clock.nowMs() + seconds * 1_000);
}

async function eventReasons(rig: Rig): Promise<readonly string[]> {
  const { records } = await rig.memory.store.list({ kind: "events" });
  const events = records.map(({ body, revision }) => decodeDocument(body, revision));
  return events.map((event) => textAt(event as never, "reason"));
}

test("a planned destruction is reminded of and then carried out", async () => {
  await using rig = await openRig();
  await rig.template([machine("a")]);
  const plannedDestruction = { at: inSeconds(rig, 3_600), remindSeconds: [600] };
  await rig.environment({ plannedDestruction });
  await rig.pass();
  await rig.ready("e.a");
  await rig.pass(2_000_000);
  assert.equal(await rig.phase(), "DeployedOk");
  assert.ok(!(await eventReasons(rig)).includes("DestructionReminder"));
  await rig.pass(1_200_000);
  assert.ok((await eventReasons(rig)).includes("DestructionReminder"));
  assert.equal(await rig.phase(), "DeployedOk");
  await rig.pass(600_000);
  assert.equal(await rig.phase(), "Destroyed");
  assert.deepEqual(await rig.machines(), []);
});

test("a cleared or moved date takes effect, and a protected environment is skipped", async () => {
  await using rig = await openRig();
  await rig.template([machine("a")]);
  await rig.environment({ plannedDestruction: { at: inSeconds(rig, 600) } });
  await rig.pass();
  await rig.patch("Environment", "e", {
    spec: { plannedDestruction: { at: inSeconds(rig, 1_200) } },
  });
  await rig.pass(700_000);
  assert.equal(await rig.phase(), "Deploying");
  await rig.patch("Environment", "e", { spec: { protected: true } });
  await rig.pass(700_000);
  assert.equal(await rig.phase(), "Deploying");
  assert.ok((await eventReasons(rig)).includes("DestructionSkipped"));
  await rig.patch("Environment", "e", { spec: { protected: false, plannedDestruction: null } });
  await rig.pass(700_000);
  assert.equal(await rig.phase(), "Deploying");
});

test("an environment that is kept at its date is reported and not destroyed", async () => {
  await using rig = await openRig();
  await rig.template([machine("a")]);
  await rig.environment({ plannedDestruction: { at: inSeconds(rig, 60), onDue: "Keep" } });
  await rig.pass(120_000);
  assert.equal(await rig.phase(), "Deploying");
  assert.ok((await eventReasons(rig)).includes("DestructionKept"));
});

test("an overdue destruction is announced, waits for the grace and runs once", async () => {
  await using rig = await openRig({ overdueGraceSeconds: 300 });
  await rig.template([machine("a")]);
  await rig.environment({ plannedDestruction: { at: inSeconds(rig, 60) } });
  await rig.pass();
  // The server is down when the date passes.
  rig.memory.surroundings.clock.advanceMs(3_600_000);
  await rig.restart();
  await rig.pass(3_000);
  assert.ok((await eventReasons(rig)).includes("DestructionOverdue"));
  assert.notEqual(await rig.phase(), "Destroyed");
  await rig.restart();
  await rig.pass(400_000);
  assert.equal(await rig.phase(), "Destroyed");
  const operations = await rig.names("operations.environments.setpoint.dev");
  assert.equal(operations.filter((name) => name.includes("destroy")).length, 1);
});

test("the lifetime of a template gives the default date and the maximum", async () => {
  await using rig = await openRig();
  const lifetime = { defaultSeconds: 600, maximumSeconds: 1_200 };
  await rig.template([machine("a")], { lifetime });
  await rig.environment();
  const environment = await rig.read("Environment", "e");
  const at = textAt(environment?.spec, "plannedDestruction", "at");
  assert.equal(at, inSeconds(rig, 600));
  await assert.rejects(
    rig.patch("Environment", "e", { spec: { plannedDestruction: { at: inSeconds(rig, 9_000) } } }),
    /the maximum lifetime is 1200 s/,
  );
});

test("drift is a field of its own, checked on request, repaired or accepted", async () => {
  await using rig = await openRig();
  await rig.template([machine("a")]);
  await rig.environment();
  await rig.pass();
  await rig.ready("e.a");
  await rig.pass();
  await rig.create("Operation", "check", { environment: "e", type: "CheckDrift" });
  await rig.pass();
  const asked = await rig.read("Machine", "e.a");
  const checks = "environments.setpoint.dev/check-drift";
  assert.equal(asked?.metadata.annotations?.[checks], "check");
  const items = [{ path: "spec.size", kind: "changed", message: "size is 3" }];
  const drift = { state: "Drifted", checkedAt: inSeconds(rig, 0), items };
  await rig.machineStatus("e.a", { drift });
  await rig.pass(3_000);
  assert.equal(textAt((await rig.read("Operation", "check"))?.status, "phase"), "Succeeded");
  let environment = await rig.read("Environment", "e");
  assert.equal(textAt(environment?.status, "phase"), "DeployedOk");
  assert.equal(textAt(environment?.status, "drift", "state"), "Drifted");
  assert.equal(listAt(environment?.status, "drift", "items").length, 1);
  const digest = textAt(environment?.status, "drift", "digest");
  await rig.patch("Environment", "e", { spec: { drift: { accept: digest } } });
  await rig.pass(3_000);
  environment = await rig.read("Environment", "e");
  assert.equal(textAt(environment?.status, "drift", "state"), "Accepted");
  await rig.create("Operation", "repair", { environment: "e", type: "ReconcileDrift" });
  await rig.pass();
  const repairs = "environments.setpoint.dev/reconcile-drift";
  assert.equal((await rig.read("Machine", "e.a"))?.metadata.annotations?.[repairs], "repair");
  await rig.machineStatus("e.a", {
    drift: { state: "None", checkedAt: inSeconds(rig, 1), items: [] },
  });
  await rig.pass(3_000);
  assert.equal(textAt((await rig.read("Operation", "repair"))?.status, "phase"), "Succeeded");
});

test("a scheduled drift check runs at its interval", async () => {
  await using rig = await openRig();
  await rig.template([machine("a")]);
  await assert.rejects(
    rig.environment({ drift: { checkSeconds: 5 } }),
    /spec\.drift\.checkSeconds: Invalid value: 5: must be 0, or at least 60/,
  );
  await rig.environment({ drift: { checkSeconds: 600 } });
  await rig.pass();
  await rig.ready("e.a");
  await rig.pass(620_000);
  const operations = await rig.names("operations.environments.setpoint.dev");
  assert.equal(operations.filter((name) => name.includes("check-drift")).length, 1);
});

test("actions run after a deployment, before a destruction and on request", async () => {
  await using rig = await openRig();
  const action = (name: string, on: string): object => ({
    name,
    on: [on],
    app: { url: "https://app.example", name: "app", command: name },
    template: {
      apiVersion: "v1",
      kind: "ConfigMap",
      data: { command: "${action.command}", host: "${resources.a.outputs.host}" },
    },
  });
  const actions = [
    action("seed", "AfterDeploy"),
    action("dump", "BeforeDestroy"),
    action("ping", "Request"),
  ];
  await rig.template([machine("a")], { actions: actions as never });
  await rig.environment();
  await rig.pass();
  await rig.ready("e.a", { host: "h1" });
  await rig.pass(3_000);
  assert.deepEqual(await rig.names("configmaps"), ["e.deploy-1.seed"]);
  const seed = await rig.read("ConfigMap", "e.deploy-1.seed");
  assert.deepEqual(objectAt(seed as never, "data"), { command: "seed", host: "h1" });
  const operation = await rig.read("Operation", "e.deploy-1.seed");
  assert.equal(textAt(operation?.status, "phase"), "Succeeded");
  await rig.create("Operation", "now", { environment: "e", type: "Action", action: "ping" });
  await rig.pass(3_000);
  assert.equal(textAt((await rig.read("Operation", "now"))?.status, "phase"), "Succeeded");
  await rig.patch("Environment", "e", { spec: { desired: "Destroyed" } });
  await rig.pass(5_000);
  assert.equal(await rig.phase(), "Destroyed");
  assert.ok((await rig.names("operations.environments.setpoint.dev")).includes("e.destroy-2.dump"));
});

test("groups of a template become ResourceGroups with a state", async () => {
  await using rig = await openRig();
  await rig.template([machine("a", { group: "net" }), machine("b", { group: "apps" })], {
    resourceGroups: [
      { id: "net", name: "Network" },
      { id: "apps", dependsOn: ["net"] },
    ],
  });
  await rig.environment();
  await rig.pass();
  assert.deepEqual(await rig.machines(), ["e.a"]);
  await rig.ready("e.a");
  await rig.ready("e.b");
  await rig.pass(3_000);
  const group = await rig.read("ResourceGroup", "e.apps");
  assert.equal(textAt(group?.status, "state"), "Ready");
  assert.deepEqual(listAt(group?.spec, "dependsOn"), ["e.net"]);
});

test("a Destroyed environment can be deployed again", async () => {
  await using rig = await openRig();
  await rig.template([machine("a")]);
  await rig.environment();
  await rig.pass();
  await rig.patch("Environment", "e", { spec: { desired: "Destroyed" } });
  await rig.pass(5_000);
  assert.equal(await rig.phase(), "Destroyed");
  await rig.patch("Environment", "e", { spec: { desired: "Deployed" } });
  await rig.pass(3_000);
  await rig.ready("e.a");
  await rig.pass(3_000);
  const environment = await rig.read("Environment", "e");
  assert.deepEqual(transitionsOf(environment).slice(-3), [
    "Deploying",
    "DeployedWaiting",
    "DeployedOk",
  ]);
  assert.equal(textAt(environment?.status, "destroyedAt"), "");
});

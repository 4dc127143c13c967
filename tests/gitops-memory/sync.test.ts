import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "../../src/kernel/json.ts";
import { objectAt, objectsAt, textAt } from "../../src/kernel/json-read.ts";
import { openFakes } from "./fakes.ts";
import { openRig } from "./rig.ts";
import { automated, commit, condition, configMap, key, manual, source } from "./scene.ts";
import { statusOf, wake } from "./scene.ts";

test("an automated deployment applies a commit, follows the next one and prunes", async () => {
  const fakes = openFakes();
  await using rig = await openRig({}, fakes);
  const first = commit(fakes, "a", [configMap("one", { a: "1" }), configMap("two", { a: "1" })]);
  await rig.create("GitOpsDeployment", "shop", automated);
  await rig.pass(5_000);
  const status = await statusOf(rig);
  assert.equal(textAt(status, "sync", "status"), "Synced", JSON.stringify(status));
  assert.equal(textAt(status, "sync", "revision"), first);
  assert.equal(textAt(status, "operationState", "phase"), "Succeeded");
  assert.equal(fakes.target.objects.size, 2);
  const [inventory] = await rig.list("inventories.gitops.setpoint.dev");
  assert.match(JSON.stringify(inventory?.spec), /uid-\/ConfigMap:jane\/one/);

  commit(fakes, "b", [configMap("one", { a: "2" })]);
  await wake(rig);
  assert.deepEqual([...fakes.target.objects.keys()], [key("one")]);
  assert.equal(textAt(fakes.target.objects.get(key("one")), "data", "a"), "2");
  assert.equal(textAt(await statusOf(rig), "sync", "status"), "Synced");

  const writes = fakes.target.writes.length;
  await wake(rig);
  assert.equal(fakes.target.writes.length, writes, "nothing is written when nothing differs");
});

test("changes of live objects are reverted, and deleted objects created again", async () => {
  const fakes = openFakes();
  await using rig = await openRig({}, fakes);
  commit(fakes, "a", [configMap("one", { a: "1" }), configMap("two", { a: "1" })]);
  await rig.create("GitOpsDeployment", "shop", automated);
  await rig.pass(5_000);
  fakes.target.edit(key("one"), { data: { a: "edited", foreign: "kept" } });
  fakes.target.objects.delete(key("two"));
  await wake(rig);
  assert.deepEqual(fakes.target.objects.get(key("one"))?.["data"], { a: "1", foreign: "kept" });
  assert.ok(fakes.target.objects.has(key("two")));
  assert.equal(textAt(await statusOf(rig), "operationState", "operation", "trigger"), "SelfHeal");
});

test("a change of a live object is reverted within a minute, without a change of git", async () => {
  const fakes = openFakes();
  await using rig = await openRig({}, fakes);
  commit(fakes, "a", [configMap("one", { a: "1" })]);
  await rig.create("GitOpsDeployment", "shop", automated);
  await rig.pass(5_000);
  fakes.target.edit(key("one"), { data: { a: "edited" } });
  await rig.pass(60_000);
  assert.equal(textAt(fakes.target.objects.get(key("one")), "data", "a"), "1");
});

test("a manual deployment waits for a SyncRun, and SyncRuns are sequential", async () => {
  const fakes = openFakes();
  await using rig = await openRig({}, fakes);
  const first = commit(fakes, "a", [configMap("one", { a: "1" })]);
  await rig.create("GitOpsDeploymentSyncRun", "early", { gitopsDeploymentName: "shop" });
  await rig.pass();
  await rig.create("GitOpsDeployment", "shop", manual);
  await rig.pass(15_000);
  const early = await rig.read("GitOpsDeploymentSyncRun", "early");
  assert.equal(textAt(early?.status, "phase"), "Succeeded");
  assert.match(await condition(rig, "early", "GitOpsDeploymentSyncRun"), /^False/);
  commit(fakes, "b", [configMap("one", { a: "2" })]);
  await wake(rig);
  assert.equal(textAt(await statusOf(rig), "sync", "status"), "OutOfSync");
  assert.equal(textAt(fakes.target.objects.get(key("one")), "data", "a"), "1");
  const run = { gitopsDeploymentName: "shop" };
  await rig.create("GitOpsDeploymentSyncRun", "new", run);
  await rig.create("GitOpsDeploymentSyncRun", "old", { ...run, revisionID: first });
  await rig.create("GitOpsDeploymentSyncRun", "wrong", { ...run, revisionID: "absent" });
  await rig.pass(60_000);
  for (const name of ["new", "old"]) {
    const found = await rig.read("GitOpsDeploymentSyncRun", name);
    assert.equal(textAt(found?.status, "phase"), "Succeeded", JSON.stringify(found?.status));
  }
  assert.equal(textAt(fakes.target.objects.get(key("one")), "data", "a"), "1");
  const writes = fakes.target.writes.length;
  await rig.patch("GitOpsDeploymentSyncRun", "new", { spec: { revisionID: "main" } });
  await rig.pass(5_000);
  assert.match(await condition(rig, "new", "GitOpsDeploymentSyncRun"), /^True .*cannot be changed/);
  assert.equal(fakes.target.writes.length, writes);
});

test("a SyncRun for an automated deployment is refused with a reason", async () => {
  const fakes = openFakes();
  await using rig = await openRig({}, fakes);
  commit(fakes, "a", []);
  await rig.create("GitOpsDeployment", "shop", automated);
  await rig.create("GitOpsDeploymentSyncRun", "run", { gitopsDeploymentName: "shop" });
  await rig.pass(5_000);
  assert.match(await condition(rig, "run", "GitOpsDeploymentSyncRun"), /^True .*is automated/);
  assert.equal(textAt(await statusOf(rig), "operationState", "phase"), "");
});

test("a deleted deployment leaves no objects, at once or before it ends", async () => {
  const fakes = openFakes();
  await using rig = await openRig({}, fakes);
  commit(fakes, "a", [configMap("one", { a: "1" })]);
  await rig.create("GitOpsDeployment", "shop", automated);
  await rig.pass(5_000);
  fakes.target.stuck.add("one");
  await rig.remove("GitOpsDeployment", "shop");
  await rig.pass(3_000);
  assert.equal(await rig.read("GitOpsDeployment", "shop"), undefined);
  assert.match(JSON.stringify(fakes.target.objects.get(key("one"))), /deletionTimestamp/);
  fakes.target.objects.clear();
  await rig.pass(5_000);
  assert.deepEqual(await rig.list("inventories.gitops.setpoint.dev"), []);

  await rig.create("GitOpsDeployment", "kept", automated);
  await rig.pass(5_000);
  const finalizers = ["resources-finalizer.managed-gitops.redhat.com"];
  await rig.patch("GitOpsDeployment", "kept", { metadata: { finalizers } });
  await rig.remove("GitOpsDeployment", "kept");
  await rig.pass(5_000);
  assert.ok(await rig.read("GitOpsDeployment", "kept"), "it waits for its objects");
  fakes.target.objects.clear();
  await rig.pass(10_000);
  assert.equal(await rig.read("GitOpsDeployment", "kept"), undefined);
});

test("a refused object stops a revision before its first write, and names the object", async () => {
  const fakes = openFakes();
  await using rig = await openRig({}, fakes);
  commit(fakes, "a", [configMap("good", {}), configMap("bad", {})]);
  fakes.target.refusals.set("bad", "data: Invalid value");
  await rig.create("GitOpsDeployment", "shop", automated);
  await rig.pass(3_000);
  assert.deepEqual(fakes.target.writes, []);
  const problem = await condition(rig);
  assert.match(problem, /^True .*ConfigMap jane\/bad: data/);
  await rig.pass(60_000);
  assert.match(await condition(rig), /^True/);
  fakes.target.refusals.clear();
  await rig.pass(60_000);
  assert.match(await condition(rig), /^False ErrorOccurredResolved/);
  assert.equal(fakes.target.objects.size, 2);
});

test("with onError Continue the other objects are applied", async () => {
  const fakes = openFakes();
  await using rig = await openRig({}, fakes);
  commit(fakes, "a", [configMap("good", {}), configMap("bad", {})]);
  fakes.target.refusals.set("bad", "data: Invalid value");
  await rig.create("GitOpsDeployment", "shop", {
    ...automated,
    syncPolicy: { onError: "Continue" },
  });
  await rig.pass(3_000);
  assert.deepEqual([...fakes.target.objects.keys()], [key("good")]);
  assert.equal(textAt(await statusOf(rig), "operationState", "phase"), "Failed");
});

test("invalid paths are reported, and a fixed one resolves the problem", async () => {
  const fakes = openFakes();
  await using rig = await openRig({}, fakes);
  commit(fakes, "a", []);
  await rig.create("GitOpsDeployment", "shop", { ...automated, source: { ...source, path: "" } });
  await rig.pass(3_000);
  assert.match(await condition(rig), /^True .*spec\.source\.path/);
  await rig.patch("GitOpsDeployment", "shop", { spec: { source: { path: "deploy" } } });
  await rig.pass(3_000);
  assert.match(await condition(rig), /^False ErrorOccurredResolved/);
});

test("deletion of all or of protected objects waits for a confirmation", async () => {
  const fakes = openFakes();
  await using rig = await openRig({}, fakes);
  const site = { apiVersion: "example.dev/v1", kind: "Site", metadata: { name: "main" } };
  commit(fakes, "a", [configMap("one", {}), configMap("two", {}), site]);
  await rig.create("GitOpsDeployment", "shop", automated);
  await rig.pass(5_000);
  commit(fakes, "b", [configMap("one", {})]);
  await wake(rig);
  assert.equal(fakes.target.objects.has(key("two")), false);
  assert.equal(fakes.target.objects.size, 2);
  const held = await statusOf(rig);
  assert.equal(textAt(held, "prune", "reason"), "Protected");
  const confirm = async (hash: string): Promise<void> => {
    await rig.patch("GitOpsDeployment", "shop", { spec: { syncPolicy: { confirmPrune: hash } } });
    await rig.pass(5_000);
  };
  await confirm("0123");
  assert.equal(fakes.target.objects.size, 2, "another hash confirms nothing");
  await confirm(textAt(held, "prune", "hash"));
  assert.equal(fakes.target.objects.size, 1);
  commit(fakes, "c", []);
  await wake(rig);
  assert.equal(fakes.target.objects.size, 1);
  const all = await statusOf(rig);
  assert.equal(textAt(all, "prune", "reason"), "All");
  assert.equal(textAt(all, "sync", "status"), "OutOfSync");
  await rig.patch("GitOpsDeployment", "shop", { spec: { syncPolicy: { allowEmpty: true } } });
  await rig.pass(5_000);
  assert.equal(fakes.target.objects.size, 0);
  assert.equal(textAt(await statusOf(rig), "sync", "status"), "Synced");
});

test("waves wait for health, also in another process", async () => {
  const fakes = openFakes();
  await using rig = await openRig({}, fakes);
  const hook: JsonObject = {
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: {
      generateName: "migrate-",
      annotations: { "argocd.argoproj.io/hook": "PreSync" },
    },
  };
  const wave = (at: number): JsonObject => ({ "argocd.argoproj.io/sync-wave": String(at) });
  commit(fakes, "a", [hook, configMap("first", {}, wave(-1)), configMap("second", {}, wave(2))]);
  fakes.target.health.set("first", { status: "Progressing", message: "starts" });
  await rig.create("GitOpsDeployment", "shop", automated);
  await rig.pass(5_000);
  assert.match(fakes.target.writes[0] ?? "", /^apply Job\/migrate-aaaaaaa-/);
  assert.deepEqual(fakes.target.writes.slice(1), ["apply ConfigMap/first"]);
  await rig.restart();
  fakes.target.health.delete("first");
  await rig.pass(5_000);
  const applied = ["apply ConfigMap/first", "apply ConfigMap/second"];
  assert.deepEqual(fakes.target.writes.slice(1), applied);
  assert.equal(textAt(await statusOf(rig), "operationState", "phase"), "Succeeded");
});

test("hooks of SyncFail run after a failed sync alone, and its message stays", async () => {
  const hook = (name: string, phase: string): JsonObject => {
    const annotations = { "gitops.setpoint.dev/hook": phase };
    return { apiVersion: "batch/v1", kind: "Job", metadata: { name, annotations } };
  };
  const fakes = openFakes();
  await using rig = await openRig({}, fakes);
  const hooks = [hook("verify", "PostSync"), hook("report", "SyncFail")];
  commit(fakes, "a", [configMap("one"), ...hooks]);
  await rig.create("GitOpsDeployment", "shop", {
    ...automated,
    syncPolicy: { retry: { limit: 0 } },
  });
  await rig.pass(5_000);
  assert.deepEqual(fakes.target.writes, ["apply ConfigMap/one", "apply Job/verify"]);
  fakes.target.writes.length = 0;
  fakes.target.health.set("verify", { status: "Degraded", message: "exit code 1" });
  fakes.target.health.set("report", { status: "Progressing", message: "runs" });
  commit(fakes, "b", [configMap("one", { key: "2" }), ...hooks]);
  await wake(rig);
  const report = async (): Promise<string> => {
    const state = objectAt(await statusOf(rig), "operationState");
    const results = objectsAt(state, "syncResult", "resources");
    const found = results.find((each) => textAt(each, "name") === "report");
    const phases = `${textAt(state, "phase")} ${textAt(found, "hookPhase")}`;
    return `${phases} ${textAt(state, "message")}`;
  };
  const cause = "the hook Job.batch jane/verify failed: exit code 1";
  assert.equal(await report(), `Running Running ${cause}`);
  fakes.target.health.set("report", { status: "Healthy", message: "" });
  await rig.pass(10_000);
  assert.equal(await report(), `Failed Succeeded ${cause}`);
  const writes = ["apply ConfigMap/one", "delete Job/verify", "apply Job/verify"];
  assert.deepEqual(fakes.target.writes, [...writes, "apply Job/report"]);
});

test("a hook that fails stops the sync before its objects are applied", async () => {
  const fakes = openFakes();
  await using rig = await openRig({}, fakes);
  const annotations = { "helm.sh/hook": "pre-install,pre-upgrade" };
  const hook = { apiVersion: "batch/v1", kind: "Job", metadata: { name: "migrate", annotations } };
  commit(fakes, "a", [hook, configMap("one", {})]);
  fakes.target.health.set("migrate", { status: "Degraded", message: "exit code 1" });
  await rig.create("GitOpsDeployment", "shop", {
    ...automated,
    syncPolicy: { retry: { limit: 0 } },
  });
  await rig.pass(5_000);
  assert.deepEqual(fakes.target.writes, ["apply Job/migrate"]);
  const state = await statusOf(rig);
  assert.equal(textAt(state, "operationState", "phase"), "Failed");
  assert.match(textAt(state, "operationState", "message"), /migrate failed: exit code 1/);
});

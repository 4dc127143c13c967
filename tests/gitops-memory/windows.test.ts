// What a sync waits for: windows, other deployments and waves; and rollbacks.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "../../src/kernel/json.ts";
import { objectsAt, textAt } from "../../src/kernel/json-read.ts";
import { openFakes } from "./fakes.ts";
import { openRig, tenant } from "./rig.ts";
import type { Rig } from "./rig.ts";
import { automated, commit, configMap, key, manual, source } from "./scene.ts";
import { statusOf, wake } from "./scene.ts";

function ready(status: JsonObject): string {
  const found = objectsAt(status, "conditions").find((each) => textAt(each, "type") === "Ready");
  return `${textAt(found, "status")} ${textAt(found, "reason")} ${textAt(found, "message")}`;
}

/** An hour that begins within three minutes. */
function laterHour(rig: Rig, manualSync = false): JsonObject {
  const at = new Date(rig.memory.surroundings.clock.nowMs() + 180_000);
  const schedule = `${at.getUTCMinutes()} ${at.getUTCHours()} * * *`;
  return { kind: "allow", schedule, durationSeconds: 3_600, manualSync };
}

test("a sync waits for its window, and a SyncRun passes where the window says so", async () => {
  const fakes = openFakes();
  await using rig = await openRig({}, fakes);
  commit(fakes, "a", [configMap("one")]);
  const windows = [laterHour(rig)];
  await rig.create("GitOpsDeployment", "shop", { ...automated, syncPolicy: { windows } });
  await rig.pass(5_000);
  assert.deepEqual(fakes.target.writes, []);
  const closed = await statusOf(rig);
  assert.match(textAt(closed, "window"), /no sync starts before .* is not open/);
  assert.match(ready(closed), /^False WindowClosed no sync starts before/);
  await rig.pass(185_000);
  assert.deepEqual(fakes.target.writes, ["apply ConfigMap/one"]);
  const open = await statusOf(rig);
  assert.equal(textAt(open, "window"), "");
  assert.equal(textAt(open, "sync", "status"), "Synced");
});

test("windows of a policy hold SyncRuns, unless they let them pass", async () => {
  const fakes = openFakes();
  await using rig = await openRig({}, fakes);
  commit(fakes, "a", [configMap("one")]);
  const windows = [laterHour(rig)];
  const passing = [laterHour(rig, true)];
  const names = [tenant];
  await rig.create("GitOpsPolicy", "nights", { namespaces: { names }, windows });
  await rig.create("GitOpsDeployment", "shop", manual);
  await rig.create("GitOpsDeploymentSyncRun", "run", { gitopsDeploymentName: "shop" });
  await rig.pass(15_000);
  assert.deepEqual(fakes.target.writes, []);
  await rig.patch("GitOpsPolicy", "nights", { spec: { windows: passing } });
  await wake(rig);
  await rig.pass(15_000);
  assert.deepEqual(fakes.target.writes, ["apply ConfigMap/one"]);
});

test("an invalid window is refused, and the message names the field", async () => {
  await using rig = await openRig();
  const wrong = { kind: "deny", schedule: "0 25 * * *", durationSeconds: 60, timeZone: "Moon" };
  const spec = { ...automated, syncPolicy: { windows: [wrong] } };
  await assert.rejects(
    rig.create("GitOpsDeployment", "shop", spec),
    /spec\.syncPolicy\.windows\[0\]\.schedule.*the hour "25".*windows\[0\]\.timeZone/s,
  );
  await assert.rejects(
    rig.create("GitOpsPolicy", "nights", { windows: [wrong] }),
    /spec\.windows\[0\]\.schedule/,
  );
});

test("a deployment waits for another one, and says for which", async () => {
  const fakes = openFakes();
  await using rig = await openRig({}, fakes);
  const head = commit(fakes, "a", [configMap("one")]);
  fakes.repository.commits.set(`${head}/base`, [configMap("ground")]);
  const base = { ...automated, source: { ...source, path: "base" } };
  const dependsOn = [{ name: "base" }];
  await rig.create("GitOpsDeployment", "shop", { ...automated, dependsOn });
  await rig.pass(5_000);
  const missing = await statusOf(rig);
  assert.match(
    ready(missing),
    /^False DependencyNotReady the GitOpsDeployment base does not exist/,
  );
  assert.equal(textAt(objectsAt(missing, "waitingFor")[0], "name"), "base");
  fakes.target.health.set("ground", { status: "Progressing", message: "starts" });
  await rig.create("GitOpsDeployment", "base", base);
  await rig.pass(5_000);
  assert.match(ready(await statusOf(rig)), /the GitOpsDeployment base is Progressing/);
  assert.deepEqual(fakes.target.writes, ["apply ConfigMap/ground"]);
  fakes.target.health.clear();
  await rig.pass(10_000);
  assert.equal(objectsAt(await statusOf(rig), "waitingFor").length, 0);
  assert.deepEqual(fakes.target.writes, ["apply ConfigMap/ground", "apply ConfigMap/one"]);
});

test("a wave that takes longer than its limit ends the sync", async () => {
  const fakes = openFakes();
  await using rig = await openRig({}, fakes);
  const wave = { "gitops.setpoint.dev/sync-wave": "1" };
  commit(fakes, "a", [configMap("one"), configMap("two", {}, wave)]);
  fakes.target.health.set("one", { status: "Progressing", message: "starts" });
  const syncPolicy = { waveTimeoutSeconds: 20, retry: { limit: 0 } };
  await rig.create("GitOpsDeployment", "shop", { ...automated, syncPolicy });
  await rig.pass(15_000);
  assert.equal(textAt(await statusOf(rig), "operationState", "phase"), "Running");
  await rig.pass(15_000);
  const status = await statusOf(rig);
  assert.equal(textAt(status, "operationState", "phase"), "Failed");
  assert.match(
    textAt(status, "operationState", "message"),
    /the wave 0 of Sync did not end within 20 seconds: ConfigMap jane\/one is Progressing: starts/,
  );
  assert.deepEqual(fakes.target.writes, ["apply ConfigMap/one"]);
});

test("automation keeps a rollback until the branch moves", async () => {
  const fakes = openFakes();
  await using rig = await openRig({}, fakes);
  const old = commit(fakes, "a", [configMap("one", { a: "old" })]);
  await rig.create("GitOpsDeployment", "shop", automated);
  await rig.pass(5_000);
  const head = commit(fakes, "b", [configMap("one", { a: "new" })]);
  await wake(rig);
  const value = (): string => textAt(fakes.target.objects.get(key("one")), "data", "a");
  assert.equal(value(), "new");
  await rig.patch("GitOpsDeployment", "shop", { spec: { pin: { revision: old, head } } });
  await rig.pass(5_000);
  assert.equal(value(), "old");
  const pinned = await statusOf(rig);
  assert.equal(textAt(pinned, "sync", "status"), "Synced");
  assert.equal(textAt(pinned, "operationState", "operation", "trigger"), "Rollback");
  assert.equal(textAt(pinned, "pin", "revision"), old);
  fakes.target.edit(key("one"), { data: { a: "edited" } });
  await rig.pass(120_000);
  assert.equal(value(), "old", "self-heal restores the revision of the rollback");
  const newer = commit(fakes, "c", [configMap("one", { a: "newer" })]);
  await wake(rig);
  assert.equal(value(), "newer");
  const ended = await statusOf(rig);
  assert.notEqual(textAt(ended, "pin", "endedAt"), "");
  const revisions = objectsAt(ended, "history").map((entry) => textAt(entry, "revision"));
  assert.deepEqual(revisions, [old, head, old, newer]);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { textAt } from "../../src/kernel/json-read.ts";
import { gitopsLimits } from "../../src/modules/gitops/limits.ts";
import { openFakes } from "./fakes.ts";
import { openRig } from "./rig.ts";
import type { Rig } from "./rig.ts";
import { commit, configMap, manual } from "./scene.ts";

const run = { gitopsDeploymentName: "shop" };

async function phaseOf(rig: Rig, name: string): Promise<string> {
  return textAt((await rig.read("GitOpsDeploymentSyncRun", name))?.status, "phase");
}

test("a failed SyncRun ends, and does not block the next one", async () => {
  const fakes = openFakes();
  await using rig = await openRig({}, fakes);
  const bad = commit(fakes, "a", [configMap("bad")]);
  commit(fakes, "b", [configMap("good")]);
  fakes.target.refusals.set("bad", "data: Invalid value");
  await rig.create("GitOpsDeployment", "shop", manual);
  await rig.create("GitOpsDeploymentSyncRun", "first", { ...run, revisionID: bad });
  await rig.pass(30_000);
  assert.equal(await phaseOf(rig, "first"), "Failed");
  await rig.create("GitOpsDeploymentSyncRun", "second", run);
  await rig.pass(30_000);
  assert.equal(await phaseOf(rig, "second"), "Succeeded");
  assert.deepEqual(fakes.target.writes, ["apply ConfigMap/good"]);
});

test("a SyncRun that has ended runs no more, and its deletion changes nothing", async () => {
  const fakes = openFakes();
  await using rig = await openRig({}, fakes);
  commit(fakes, "a", [configMap("one")]);
  await rig.create("GitOpsDeployment", "shop", manual);
  await rig.create("GitOpsDeploymentSyncRun", "once", run);
  await rig.pass(30_000);
  assert.equal(await phaseOf(rig, "once"), "Succeeded");
  const finished = async (): Promise<string> => {
    const deployment = await rig.read("GitOpsDeployment", "shop");
    return textAt(deployment?.status, "operationState", "finishedAt");
  };
  const endedAt = await finished();
  assert.notEqual(endedAt, "");
  // Another run would create it again.
  fakes.target.objects.delete("/ConfigMap:jane/one");
  const writes = [...fakes.target.writes];
  await rig.patch("GitOpsDeploymentSyncRun", "once", { spec: run });
  await rig.pass(10_000);
  await rig.remove("GitOpsDeploymentSyncRun", "once");
  await rig.pass(10_000);
  assert.equal(await rig.read("GitOpsDeploymentSyncRun", "once"), undefined);
  assert.equal(await finished(), endedAt);
  assert.deepEqual(fakes.target.writes, writes);
});

test("the newest ended SyncRuns of a deployment are kept", async () => {
  const fakes = openFakes();
  await using rig = await openRig({}, fakes);
  commit(fakes, "a", []);
  await rig.create("GitOpsDeployment", "shop", { ...manual, type: "automated" });
  const names = Array.from({ length: gitopsLimits.keptSyncRuns + 2 }, (_, at) => `run-${at}`);
  for (const name of names) {
    await rig.create("GitOpsDeploymentSyncRun", name, run);
    await rig.pass(300);
  }
  await rig.create("GitOpsDeploymentSyncRun", "in-git", run);
  const annotations = { "gitops.setpoint.dev/tracking-id": "of another deployment" };
  await rig.patch("GitOpsDeploymentSyncRun", "in-git", { metadata: { annotations } });
  await rig.create("GitOpsDeploymentSyncRun", "waits", { gitopsDeploymentName: "later" });
  await rig.restart();
  await rig.pass(1_000);
  const left = await rig.list("gitopsdeploymentsyncruns.gitops.setpoint.dev");
  const kept = [...names.slice(2), "in-git", "waits"];
  assert.deepEqual(left.map(({ metadata }) => metadata.name).toSorted(), kept.toSorted());
});

// The records of the module: what they say, and how deleted ones are restored.
import assert from "node:assert/strict";
import { test } from "node:test";
import { objectsAt, textAt } from "../../src/kernel/json-read.ts";
import { openFakes } from "./fakes.ts";
import { openRig, tenant } from "./rig.ts";
import { automated, commit, configMap, inventories, key, operations } from "./scene.ts";
import { statusOf, wake } from "./scene.ts";

test("an Operation has the ids of the workspace, the deployment and the process", async () => {
  const fakes = openFakes();
  await using rig = await openRig({}, fakes, "info");
  const revision = commit(fakes, "a", [configMap("one")]);
  await rig.create("GitOpsDeployment", "shop", automated);
  await rig.pass(5_000);
  const [operation] = await rig.list(operations);
  const namespace = await rig.memory.read({ apiVersion: "v1", kind: "Namespace", name: tenant });
  const deployment = await rig.read("GitOpsDeployment", "shop");
  const { operationID, instanceID, owner, resource, resourceType } = (operation?.spec ??
    {}) as Record<string, string>;
  assert.equal(operation?.metadata.namespace, tenant);
  assert.equal(operationID, operation?.metadata.name);
  assert.match(instanceID ?? "", /^[0-9a-f-]{36}$/);
  assert.equal(owner, namespace?.metadata.uid);
  assert.equal(resource, deployment?.metadata.uid);
  assert.equal(resourceType, "GitOpsDeployment");
  const events = await rig.list("events");
  const ids = [operationID, owner, resource, revision];
  const succeeded = events.find((event) => textAt(event, "reason") === "SyncSucceeded");
  for (const id of ids) assert.ok(textAt(succeeded, "message").includes(id ?? "-"), id);
  for (const message of ["sync started", "sync ended"]) {
    const line = rig.lines.find((each) => each.includes(message)) ?? "";
    for (const id of ids) assert.ok(line.includes(id ?? "-"), `${id} in ${line}`);
    assert.match(line, /"workspaceID":.*"gitopsDeplID":/);
  }
});

test("deleted records are restored, so that the objects are still pruned and removed", async () => {
  const fakes = openFakes();
  await using rig = await openRig({}, fakes);
  commit(fakes, "a", [configMap("one"), configMap("two")]);
  await rig.create("GitOpsDeployment", "shop", automated);
  await rig.pass(5_000);
  const remove = async (kind: string): Promise<void> => {
    const word = kind === inventories ? "Inventory" : "Operation";
    for (const { metadata } of await rig.list(kind)) await rig.remove(word, metadata.name);
  };
  await remove(operations);
  await remove(inventories);
  await rig.pass(60_000);
  const [inventory] = await rig.list(inventories);
  const uids = objectsAt(inventory?.spec, "entries").map((entry) => textAt(entry, "uid"));
  assert.equal(uids.length, 2);
  assert.ok(uids.every((uid) => uid.startsWith("uid-")));
  const { length } = fakes.target.writes;
  assert.equal(length, 2, "no object is written again");

  await remove(inventories);
  commit(fakes, "b", [configMap("one")]);
  await wake(rig);
  assert.deepEqual([...fakes.target.objects.keys()], [key("one")], "it is found by its label");

  await rig.restart(async () => {
    await remove(inventories);
    await remove(operations);
    commit(fakes, "c", [configMap("one"), configMap("three")]);
  });
  await wake(rig);
  assert.equal(textAt(await statusOf(rig), "sync", "status"), "Synced");
  await rig.restart(async () => {
    await rig.remove("GitOpsDeployment", "shop");
  });
  await rig.pass(10_000);
  assert.equal(await rig.read("GitOpsDeployment", "shop"), undefined);
  assert.equal(fakes.target.objects.size, 0, "its objects do not exist any more");
  assert.deepEqual(await rig.list(inventories), []);
});

test("gauges count the deployments and Operations that exist", async () => {
  const fakes = openFakes();
  await using rig = await openRig({}, fakes);
  commit(fakes, "a", [configMap("one"), configMap("bad")]);
  fakes.target.refusals.set("bad", "data: Invalid value");
  const bad = { ...automated, syncPolicy: { retry: { limit: 0 } } };
  await rig.create("GitOpsDeployment", "bad", bad);
  await rig.pass(5_000);
  fakes.target.refusals.clear();
  commit(fakes, "b", [configMap("one")]);
  await rig.create("GitOpsDeployment", "good", automated);
  await rig.pass(5_000);
  const all = rig.metrics();
  assert.match(all, /setpoint_gitops_deployments\{sync="Synced",health="Healthy"\} 1/);
  assert.match(all, /setpoint_gitops_deployment_failures 1/);
  const states = (await rig.list(operations)).map(({ status }) => textAt(status, "state"));
  for (const state of new Set(states)) {
    const count = states.filter((each) => each === state).length;
    assert.match(all, new RegExp(`setpoint_gitops_operations\\{state="${state}"\\} ${count}`));
  }
  await rig.remove("GitOpsDeployment", "good");
  await rig.pass(5_000);
  assert.doesNotMatch(rig.metrics(), /sync="Synced"/);
});

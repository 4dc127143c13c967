// Objects and namespaces of a deployment over its life.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "../../src/kernel/json.ts";
import { objectsAt, textAt } from "../../src/kernel/json-read.ts";
import { openFakes } from "./fakes.ts";
import { openRig } from "./rig.ts";
import { automated, commit, condition, configMap, inventories, key } from "./scene.ts";
import { statusOf, wake } from "./scene.ts";

test("a missing namespace is created only with CreateNamespace=true, and is kept", async () => {
  const fakes = openFakes();
  await using rig = await openRig({}, fakes);
  const inOther = configMap("one");
  const metadata = { ...(inOther["metadata"] as JsonObject), namespace: "other" };
  commit(fakes, "a", [{ ...inOther, metadata }, configMap("two")]);
  await rig.create("GitOpsDeployment", "shop", automated);
  await rig.pass(5_000);
  assert.match(await condition(rig), /^True .*the namespace other does not exist.*CreateNamespace/);
  assert.deepEqual(fakes.target.writes, []);
  const syncOptions = ["CreateNamespace=true"];
  await rig.patch("GitOpsDeployment", "shop", { spec: { syncPolicy: { syncOptions } } });
  await rig.pass(10_000);
  assert.equal(textAt(await statusOf(rig), "sync", "status"), "Synced");
  assert.deepEqual([...fakes.target.objects.keys()].toSorted(), [
    key("two"),
    "/ConfigMap:other/one",
    "/Namespace:/other",
  ]);
  commit(fakes, "b", [configMap("two")]);
  await wake(rig);
  assert.deepEqual([...fakes.target.objects.keys()], ["/Namespace:/other", key("two")]);
});

test("a deployment that is created again does not own the objects of the earlier one", async () => {
  const fakes = openFakes();
  await using rig = await openRig({}, fakes);
  commit(fakes, "a", [configMap("one", { a: "1" })]);
  const uids = new Set<string>();
  for (let round = 0; round < 3; round += 1) {
    await rig.create("GitOpsDeployment", "shop", automated);
    await rig.pass(round === 1 ? 100 : 3_000);
    const deployment = await rig.read("GitOpsDeployment", "shop");
    uids.add(deployment?.metadata.uid ?? "");
    await rig.remove("GitOpsDeployment", "shop");
    await rig.pass(100);
  }
  assert.equal(uids.size, 3);
  await rig.create("GitOpsDeployment", "shop", automated);
  await rig.pass(30_000);
  const { uid } = (await rig.read("GitOpsDeployment", "shop"))?.metadata ?? {};
  assert.equal(textAt(await statusOf(rig), "sync", "status"), "Synced");
  const tracking = textAt(
    fakes.target.objects.get(key("one")),
    "metadata",
    "annotations",
    "gitops.setpoint.dev/tracking-id",
  );
  assert.equal(tracking, `${uid}:${key("one")}`);
  const owners = (await rig.list(inventories)).map(({ spec }) => textAt(spec, "deploymentUID"));
  assert.deepEqual(owners, [uid], "no Inventory of an earlier deployment is left");
  const live = fakes.target.objects.get(key("one"));
  const [inventory] = await rig.list(inventories);
  const [entry] = objectsAt(inventory?.spec, "entries");
  assert.equal(textAt(entry, "uid"), textAt(live, "metadata", "uid"));
});

test("a field that drifts and is ignored, and a default, change nothing", async () => {
  const fakes = openFakes();
  await using rig = await openRig({}, fakes);
  commit(fakes, "a", [configMap("one", { a: "1", replicas: "1" })]);
  const ignoreDifferences = [{ kind: "ConfigMap", jsonPointers: ["/data/replicas"] }];
  await rig.create("GitOpsDeployment", "shop", { ...automated, ignoreDifferences });
  await rig.pass(5_000);
  assert.equal(fakes.target.objects.get(key("one"))?.["immutable"], false, "it has a default");
  const writes = fakes.target.writes.length;
  fakes.target.edit(key("one"), { data: { replicas: "5" } });
  await rig.pass(120_000);
  assert.equal(textAt(await statusOf(rig), "sync", "status"), "Synced");
  assert.equal(fakes.target.writes.length, writes);
  assert.equal(textAt(fakes.target.objects.get(key("one")), "data", "replicas"), "5");
});

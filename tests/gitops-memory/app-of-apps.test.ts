import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "../../src/kernel/json.ts";
import { objectsAt, textAt } from "../../src/kernel/json-read.ts";
import { openPlatform } from "./platform.ts";
import type { Platform } from "./platform.ts";
import { apiVersion, tenant } from "./rig.ts";

const finalizers = ["gitops.setpoint.dev/objects"];

function specOf(path: string): JsonObject {
  return {
    source: { repoURL: "https://git.example/jane/platform.git", path },
    type: "automated",
    syncPolicy: { retry: { firstSeconds: 1, mostSeconds: 1 } },
  };
}

function child(name: string, wave = "0"): JsonObject {
  const annotations = { "gitops.setpoint.dev/sync-wave": wave };
  const metadata = { name, finalizers, annotations };
  return { apiVersion, kind: "GitOpsDeployment", metadata, spec: specOf(name) };
}

function settings(name: string): JsonObject {
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data: { of: name } };
}

async function statusOf(platform: Platform, name: string): Promise<JsonObject> {
  return ((await platform.read("GitOpsDeployment", name))?.status ?? {}) as JsonObject;
}

async function healthOf(platform: Platform, name: string): Promise<string> {
  return textAt(await statusOf(platform, name), "health", "status");
}

async function hasMap({ memory }: Platform, name: string): Promise<boolean> {
  const at = { apiVersion: "v1", kind: "ConfigMap", namespace: tenant, name };
  return (await memory.read(at)) !== undefined;
}

test("a deployment applies deployments in waves, and follows their health", async () => {
  await using platform = await openPlatform();
  await platform.grant();
  platform.commit("root", [child("base"), child("shop", "1")]);
  platform.commit("base", [settings("base")]);
  platform.commit("shop", [settings("shop")]);
  await platform.create("GitOpsDeployment", "root", specOf("root"));
  await platform.pass(15_000);
  assert.deepEqual(
    [await hasMap(platform, "base"), await hasMap(platform, "shop")],
    [true, true],
    JSON.stringify(await statusOf(platform, "root")),
  );
  assert.equal(await healthOf(platform, "root"), "Healthy");

  // An object that the account may not write.
  platform.commit("shop", [{ apiVersion: "v1", kind: "Namespace", metadata: { name: "no" } }]);
  await platform.patch("GitOpsDeployment", "shop", { metadata: { labels: { wake: "1" } } });
  await platform.pass(45_000);
  const shop = await statusOf(platform, "shop");
  assert.match(JSON.stringify(shop), /objects without a namespace/);
  const root = await platform.read("GitOpsDeployment", "root");
  assert.equal(await healthOf(platform, "root"), "Degraded");
  const ready = objectsAt(root?.status, "conditions").find(({ type }) => type === "Ready");
  assert.match(
    textAt(ready, "message"),
    /^GitOpsDeployment\S* jane\/shop: .*objects without a namespace/,
    "the message leads to the child and to its cause",
  );
});

test("a wave of deployments waits for the objects of the one before", async () => {
  await using platform = await openPlatform();
  await platform.grant();
  platform.commit("root", [child("base"), child("shop", "1")]);
  platform.commit("base", [{ apiVersion: "v1", kind: "Namespace", metadata: { name: "no" } }]);
  platform.commit("shop", [settings("shop")]);
  await platform.create("GitOpsDeployment", "root", specOf("root"));
  await platform.pass(15_000);
  assert.equal(await hasMap(platform, "shop"), false);
  platform.commit("base", [settings("base")]);
  await platform.pass(120_000);
  assert.equal(await hasMap(platform, "shop"), true);
  assert.equal(await healthOf(platform, "root"), "Healthy");
});

test("a deleted tree of deployments leaves no object, from the leaves to the root", async () => {
  await using platform = await openPlatform();
  await platform.grant();
  platform.commit("root", [child("area")]);
  platform.commit("area", [child("shop")]);
  platform.commit("shop", [settings("shop")]);
  await platform.memory.create({
    apiVersion,
    kind: "GitOpsDeployment",
    metadata: { name: "root", namespace: tenant, finalizers },
    spec: specOf("root"),
  });
  await platform.pass(30_000);
  assert.equal(await hasMap(platform, "shop"), true);
  await platform.remove("GitOpsDeployment", "root");
  const order: string[] = [];
  for (let seconds = 0; seconds < 60 && order.length < 4; seconds += 1) {
    await platform.pass(1_000);
    if (!order.includes("settings") && !(await hasMap(platform, "shop"))) order.push("settings");
    for (const name of ["shop", "area", "root"]) {
      const isThere = (await platform.read("GitOpsDeployment", name)) !== undefined;
      if (!order.includes(name) && !isThere) order.push(name);
    }
  }
  assert.deepEqual(order, ["settings", "shop", "area", "root"]);
});

test("a deployment that is removed from git is held until its deletion is confirmed", async () => {
  await using platform = await openPlatform();
  await platform.grant();
  platform.commit("root", [child("base"), child("shop")]);
  platform.commit("base", [settings("base")]);
  platform.commit("shop", [settings("shop")]);
  await platform.create("GitOpsDeployment", "root", specOf("root"));
  await platform.pass(15_000);
  platform.commit("root", [child("base")]);
  await platform.pass(60_000);
  assert.equal(await hasMap(platform, "shop"), true);
  const status = await statusOf(platform, "root");
  assert.equal(textAt(status, "prune", "reason"), "Protected");
  const confirmPrune = textAt(status, "prune", "hash");
  await platform.patch("GitOpsDeployment", "root", { spec: { syncPolicy: { confirmPrune } } });
  await platform.pass(30_000);
  assert.equal(await hasMap(platform, "shop"), false);
  assert.equal(await hasMap(platform, "base"), true);
});

/** The same child as a manifest of managed-gitops. */
function inSeedGroup(deployment: JsonObject): JsonObject {
  const { source, type } = deployment["spec"] as JsonObject;
  const seed = "managed-gitops.redhat.com/v1alpha1";
  return { ...deployment, apiVersion: seed, spec: { source, type } } as JsonObject;
}

test("a manifest of managed-gitops is the same object, and as protected", async () => {
  await using platform = await openPlatform({}, { seedGroup: true });
  await platform.grant();
  platform.commit("root", [child("base"), inSeedGroup(child("shop"))]);
  platform.commit("base", [settings("base")]);
  platform.commit("shop", [settings("shop")]);
  await platform.create("GitOpsDeployment", "root", specOf("root"));
  await platform.pass(30_000);
  assert.equal(await hasMap(platform, "shop"), true);
  assert.equal(await healthOf(platform, "root"), "Healthy");
  const status = await statusOf(platform, "root");
  assert.equal(textAt(status, "sync", "status"), "Synced");
  const groups = objectsAt(status, "resources").map(({ group }) => group);
  assert.deepEqual(groups, ["gitops.setpoint.dev", "gitops.setpoint.dev"]);
  const before = await platform.read("GitOpsDeployment", "shop");

  platform.commit("root", [child("base"), child("shop")]);
  await platform.pass(60_000);
  const after = await platform.read("GitOpsDeployment", "shop");
  assert.equal(after?.metadata.uid, before?.metadata.uid, "another form is not another object");
  assert.equal(textAt(await statusOf(platform, "root"), "prune", "reason"), "");
  platform.commit("root", [child("base"), child("shop"), inSeedGroup(child("shop"))]);
  await platform.pass(60_000);
  assert.match(
    JSON.stringify(await statusOf(platform, "root")),
    /jane\/shop: the revision has it twice/,
  );

  platform.commit("root", [child("base"), inSeedGroup(child("shop"))]);
  await platform.pass(60_000);
  platform.commit("root", [child("base")]);
  await platform.pass(60_000);
  assert.equal(textAt(await statusOf(platform, "root"), "prune", "reason"), "Protected");
  assert.equal(await hasMap(platform, "shop"), true);
});

test("a manifest of managed-gitops cannot make a cycle", async () => {
  await using platform = await openPlatform({}, { seedGroup: true });
  await platform.grant();
  platform.commit("root", [inSeedGroup(child("area"))]);
  platform.commit("area", [inSeedGroup(child("root")), settings("area")]);
  await platform.create("GitOpsDeployment", "root", specOf("root"));
  await platform.pass(30_000);
  assert.match(
    JSON.stringify(await statusOf(platform, "area")),
    /jane\/root: it has this deployment among its own objects/,
  );
  assert.equal(await hasMap(platform, "area"), false);
});

test("a deployment that contains itself, or one that it is part of, is refused", async () => {
  await using platform = await openPlatform();
  await platform.grant();
  platform.commit("alone", [child("alone")]);
  await platform.create("GitOpsDeployment", "alone", specOf("alone"));
  platform.commit("root", [child("area")]);
  platform.commit("area", [child("shop")]);
  platform.commit("shop", [child("root"), settings("shop")]);
  await platform.create("GitOpsDeployment", "root", specOf("root"));
  await platform.pass(30_000);
  assert.match(
    JSON.stringify(await statusOf(platform, "alone")),
    /jane\/alone: a deployment cannot be an object of itself/,
  );
  assert.match(
    JSON.stringify(await statusOf(platform, "shop")),
    /jane\/root: it has this deployment among its own objects/,
  );
  assert.equal(await hasMap(platform, "shop"), false, "nothing of the commit is applied");
  const root = await platform.read("GitOpsDeployment", "root");
  assert.equal(textAt(root, "metadata", "annotations", "gitops.setpoint.dev/tracking-id"), "");
  assert.equal(await healthOf(platform, "root"), "Degraded");
});

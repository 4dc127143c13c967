// The resource tree with this server as the target. tests/gitops/tree.test.ts has another server.
import assert from "node:assert/strict";
import { test } from "node:test";
import { moduleRoutes } from "../../src/app/route-ports.ts";
import type { JsonObject } from "../../src/kernel/json.ts";
import { objectsAt, textAt } from "../../src/kernel/json-read.ts";
import { openPlatform } from "./platform.ts";
import type { Platform } from "./platform.ts";
import { tenant } from "./rig.ts";
import { configMap } from "./scene.ts";

const source = { repoURL: "https://git.example/jane/shop.git", path: "deploy" };
const rbac = "rbac.authorization.k8s.io";

/** As a user who may get deployments, and the given resources of the core API. */
async function treeFor(platform: Platform, resources: readonly string[]): Promise<JsonObject> {
  const { memory } = platform;
  const name = `reader-${resources.join("-") || "none"}`;
  const metadata = { name, namespace: tenant };
  const at = { apiVersion: `${rbac}/v1`, kind: "Role", ...metadata };
  if (resources.length > 0 && (await memory.read(at)) === undefined) {
    const rules = [{ apiGroups: [""], resources, verbs: ["get"] }];
    await memory.create({ apiVersion: `${rbac}/v1`, kind: "Role", metadata, rules });
    await memory.create({
      apiVersion: `${rbac}/v1`,
      kind: "RoleBinding",
      metadata,
      roleRef: { apiGroup: rbac, kind: "Role", name },
      subjects: [{ apiGroup: rbac, kind: "User", name }],
    });
  }
  const route = moduleRoutes(memory.plane).find(({ path }) => path.endsWith("/tree"));
  assert.ok(route !== undefined);
  const answer = await route.handle({
    path: { namespace: tenant, name: "shop" },
    query: {},
    body: undefined,
    caller: {
      user: { name, groups: [], extra: {} },
      tenant: name,
      surface: "rest",
      traceId: "",
      correlationId: "",
      warn: () => undefined,
    },
    ifMatch: undefined,
    traceId: "",
    signal: new AbortController().signal,
    pages: { before: () => undefined, after: () => undefined, drop: () => undefined },
  });
  assert.ok(answer.kind === "document" && answer.document !== undefined);
  return answer.document;
}

async function own(platform: Platform, owner: string, object: JsonObject): Promise<void> {
  const { memory } = platform;
  const found = await memory.read({
    apiVersion: "v1",
    kind: "ConfigMap",
    namespace: tenant,
    name: owner,
  });
  const uid = found?.metadata.uid ?? "";
  const ownerReferences = [{ apiVersion: "v1", kind: "ConfigMap", name: owner, uid }];
  const metadata = { name: textAt(object, "metadata", "name"), namespace: tenant, ownerReferences };
  await memory.create({ ...object, metadata });
}

/** As KIND NAME SYNC HEALTH MESSAGE(...). */
function textOf(node: JsonObject): string {
  const words = ["kind", "name", "status"].map((field) => textAt(node, field));
  const health = ["status", "message"].map((field) => textAt(node, "health", field));
  const below = objectsAt(node, "children").map(textOf);
  const said = [...words, ...health].filter((word) => word !== "").join(" ");
  return below.length === 0 ? said : `${said}(${below.join(", ")})`;
}

test("the tree has the objects below the managed ones with their health", async () => {
  await using platform = await openPlatform();
  await platform.grant();
  await platform.create("HealthRule", "maps", {
    rules: [
      {
        kind: "ConfigMap",
        healthy: "object.data.state == 'up'",
        message: "'it is ' + object.data.state",
      },
    ],
  });
  platform.commit("deploy", [configMap("web", { state: "up" }), configMap("db", { state: "up" })]);
  await platform.create("GitOpsDeployment", "shop", { source, type: "automated" });
  await platform.pass(10_000);
  await own(platform, "web", configMap("replica", { state: "down" }));
  await own(platform, "replica", configMap("pod", { state: "up" }));
  const secret = { apiVersion: "v1", kind: "Secret", metadata: { name: "keys" } };
  await own(platform, "web", { ...secret, data: { key: "c2VudGluZWw=" } });

  const all = await treeFor(platform, ["configmaps", "secrets"]);
  assert.deepEqual(objectsAt(all, "nodes").map(textOf).toSorted(), [
    "ConfigMap db Synced Healthy it is up",
    "ConfigMap web Synced Healthy it is up(" +
      "ConfigMap replica Progressing it is down(ConfigMap pod Healthy it is up), Secret keys)",
  ]);
  assert.deepEqual([all["hidden"], all["omitted"], all["notes"]], [0, 0, []]);
  assert.doesNotMatch(JSON.stringify(all), /sentinel|c2VudGluZWw/);
});

test("objects that the caller may not read are counted, not shown", async () => {
  await using platform = await openPlatform();
  await platform.grant();
  platform.commit("deploy", [
    configMap("web"),
    { apiVersion: "v1", kind: "Secret", metadata: { name: "login" }, data: {} },
  ]);
  await platform.create("GitOpsDeployment", "shop", { source, type: "automated" });
  await platform.pass(10_000);
  const secret = { apiVersion: "v1", kind: "Secret", metadata: { name: "keys" } };
  await own(platform, "web", secret);
  const none = await treeFor(platform, []);
  assert.deepEqual([none["nodes"], none["hidden"]], [[], 2]);
  const some = await treeFor(platform, ["configmaps"]);
  assert.deepEqual(objectsAt(some, "nodes").map(textOf), ["ConfigMap web Synced"]);
  assert.equal(some["hidden"], 2, "the managed Secret, and the one below the ConfigMap");
  assert.doesNotMatch(JSON.stringify(some), /keys|login/);
});

test("the tree of another target says why the objects below are not known", async () => {
  await using platform = await openPlatform();
  await platform.create("GitOpsDeploymentManagedEnvironment", "remote", {
    apiURL: "https://api.example:6443",
    credentialsSecret: "remote-login",
  });
  await platform.create("GitOpsDeploymentManagedEnvironment", "edge", { cluster: "east" });
  await platform.create("GitOpsDeployment", "shop", {
    source,
    type: "automated",
    destination: { environment: "remote" },
  });
  await platform.pass(2_000);
  const resource = {
    group: "apps",
    version: "v1",
    kind: "Deployment",
    namespace: "a",
    name: "web",
  };
  await platform.memory.patch(
    { ...deploymentPlace, subresource: "status" },
    { status: { resources: [{ ...resource, status: "Synced" }] } },
  );
  const without = await treeFor(platform, ["configmaps"]);
  assert.deepEqual(objectsAt(without, "nodes").map(textOf), ["Deployment web Synced"]);
  assert.deepEqual(without["notes"], [
    "objects below the managed ones are shown to who may get the Secret remote-login",
  ]);
  const having = await treeFor(platform, ["secrets"]);
  assert.match(JSON.stringify(having["notes"]), /remote is not connected/);
  await platform.patch("GitOpsDeployment", "shop", {
    spec: { destination: { environment: "edge" } },
  });
  const pulling = await treeFor(platform, ["secrets"]);
  assert.deepEqual(objectsAt(pulling, "nodes").map(textOf), ["Deployment web Synced"]);
  assert.deepEqual(pulling["notes"], [
    "the cluster pulls: objects below the managed ones are not known",
  ]);
});

const deploymentPlace = {
  apiVersion: "gitops.setpoint.dev/v1",
  kind: "GitOpsDeployment",
  namespace: tenant,
  name: "shop",
};

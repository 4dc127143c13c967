// A cluster that pulls: a third Setpoint is the cluster, and the real agent runs between it and the
// control plane. The cluster has no git, and no connection to it is opened.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { gzipSync } from "node:zlib";
import type { JsonObject } from "../../src/kernel/json.ts";
import { objectAt, objectsAt, textAt } from "../../src/kernel/json-read.ts";
import { startProgram } from "../peers/child.ts";
import type { Program } from "../peers/child.ts";
import { startSetpoint } from "../peers/setpoint.ts";
import type { Setpoint } from "../peers/setpoint.ts";
import { waitUntil } from "../peers/wait.ts";
import { startGitRemote } from "./git-remote.ts";
import type { GitRemote } from "./git-remote.ts";
import { Tenant, allowLoopback, configMapFile, gitopsApi, isSyncedAt } from "./tenant.ts";
import { itemsAt, put, read } from "./tenant.ts";

const apiVersion = "gitops.setpoint.dev/v1";
const folder = mkdtempSync(join(tmpdir(), "setpoint-pulling-"));
const bundles = `${gitopsApi}/namespaces/cluster-east-1/syncbundles`;
let remote: GitRemote;
let server: Setpoint;
let cluster: Setpoint;
let agent: Program;
let tenant: Tenant;

before(async () => {
  [remote, server, cluster] = await Promise.all([
    startGitRemote(),
    startSetpoint(),
    startSetpoint(),
  ]);
  await allowLoopback(server);
  await grantCluster();
  for (const name of ["east-1", "west-1"]) await addCluster(name);
  await put(cluster, "/api/v1/namespaces/jane", {
    apiVersion: "v1",
    kind: "Namespace",
    metadata: { name: "jane" },
  });
  tenant = new Tenant(server, remote, "jane");
  await tenant.setUp();
  await remote.create("shop");
  await tenant.addCredential("shop");
  await tenant.put(gitopsApi, "gitopsdeploymentmanagedenvironments", {
    apiVersion,
    kind: "GitOpsDeploymentManagedEnvironment",
    metadata: { name: "east" },
    spec: { cluster: "east-1" },
  });
});
after(async () => {
  await agent?.kill9();
  await server?.[Symbol.asyncDispose]();
  await cluster?.[Symbol.asyncDispose]();
  await remote?.[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

async function grantCluster(): Promise<void> {
  const spec = {
    namespaces: { names: ["jane"] },
    destinations: { clusters: [{ name: "east-*" }] },
  };
  const metadata = { name: "clusters" };
  const policy = { apiVersion, kind: "GitOpsPolicy", metadata, spec };
  await put(server, `${gitopsApi}/gitopspolicies/clusters`, policy);
}

async function addCluster(name: string): Promise<void> {
  const spec = { provider: "aws", region: "us-east-1", dns: `apps.${name}.example.com` };
  const path = `/apis/fleet.setpoint.dev/v1/dataplaneclusters/${name}`;
  await put(server, path, {
    apiVersion: "fleet.setpoint.dev/v1",
    kind: "DataPlaneCluster",
    metadata: { name },
    spec,
  });
  await waitUntil("the account of the agent", async () => await tokenOf(name));
}

/** Undefined before the account of the agent exists. */
async function tokenOf(name: string): Promise<string | undefined> {
  const path = `/api/v1/namespaces/cluster-${name}/serviceaccounts/agent/token`;
  const body = { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", spec: {} };
  const answer = await server.ask(path, { method: "POST", body });
  const token = textAt(JSON.parse(String(answer.body)) as JsonObject, "status", "token");
  return token === "" ? undefined : token;
}

async function startAgent(): Promise<Program> {
  writeFileSync(join(folder, "token"), (await tokenOf("east-1")) ?? "", { mode: 0o600 });
  writeFileSync(join(folder, "ca.crt"), server.ca);
  const credential = ["--token-file", join(folder, "token"), "--ca", join(folder, "ca.crt")];
  const place = ["--control-plane", server.url, "--cluster", "east-1"];
  const target = ["--apply-to", cluster.kubeconfig];
  const args = ["agent", ...place, ...credential, ...target];
  // Without git in its PATH.
  const started = await startProgram("src/cli/main.ts", { args, env: { PATH: folder } });
  await started.waitForLine(/agent started/);
  return started;
}

async function valueInCluster(name: string): Promise<string | undefined> {
  const found = await read(cluster, `/api/v1/namespaces/jane/configmaps/${name}`);
  return found === undefined ? undefined : textAt(found, "data", "value");
}

async function until(what: string, has: () => Promise<boolean>): Promise<void> {
  await waitUntil(what, has);
}

async function environmentReports(reason: string): Promise<void> {
  const path = `${gitopsApi}/namespaces/jane/gitopsdeploymentmanagedenvironments/east`;
  await until(`the reason ${reason}`, async () => {
    const { status } = (await read(server, path)) ?? {};
    return objectsAt(status, "conditions").some((each) => textAt(each, "reason") === reason);
  });
}

test("an environment is connected while the agent of its cluster gives signs of life", async () => {
  await environmentReports("AgentNotReporting");
  agent = await startAgent();
  await environmentReports("Succeeded");
});

test("the agent of a cluster applies a commit, reverts changes and prunes", async () => {
  const wave = { "gitops.setpoint.dev/sync-wave": "1" };
  const later = {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "later", annotations: wave },
  };
  const first = await remote.commit("shop", {
    files: {
      "deploy/one.json": configMapFile("one", { value: "1" }),
      "deploy/two.json": configMapFile("two", { value: "1" }),
      "deploy/later.json": JSON.stringify(later),
    },
  });
  const source = { repoURL: remote.url("shop"), path: "deploy" };
  await tenant.deploy("shop", source, { destination: { environment: "east" } });
  const status = await tenant.reached("shop", isSyncedAt(first));
  assert.equal(await valueInCluster("one"), "1");
  assert.equal(await valueInCluster("later"), "");
  assert.equal(objectsAt(status, "resources").length, 3);
  assert.equal(textAt(status, "operationState", "phase"), "Succeeded");
  assert.equal(await read(server, "/api/v1/namespaces/jane/configmaps/one"), undefined);

  const managers = objectsAt(
    await read(cluster, "/api/v1/namespaces/jane/configmaps/one"),
    "metadata",
    "managedFields",
  );
  assert.deepEqual(
    managers.map((each) => textAt(each, "manager")),
    ["setpoint-gitops"],
  );
  const path = "/api/v1/namespaces/jane/configmaps/two";
  const headers = { "content-type": "application/merge-patch+json" };
  await cluster.ask(path, { method: "PATCH", headers, body: { data: { value: "edited" } } });
  await until("the change to be reverted", async () => (await valueInCluster("two")) === "1");

  const second = await remote.commit("shop", {
    files: { "deploy/one.json": configMapFile("one", { value: "2" }), "deploy/two.json": null },
  });
  await tenant.refresh("shop");
  await tenant.reached("shop", isSyncedAt(second));
  assert.equal(await valueInCluster("one"), "2");
  assert.equal(await valueInCluster("two"), undefined);
});

test("a killed agent continues with what the control plane has stored meanwhile", async () => {
  await agent.kill9();
  const commit = await remote.commit("shop", {
    files: { "deploy/one.json": configMapFile("one", { value: "3" }) },
  });
  await tenant.refresh("shop");
  await until("the bundle of the commit", async () => {
    const found = await itemsAt(server, `${gitopsApi}/namespaces/jane/gitsources`);
    return found.some((each) => textAt(each, "status", "revision") === commit);
  });
  assert.equal(await valueInCluster("one"), "2");
  agent = await startAgent();
  await tenant.reached("shop", isSyncedAt(commit));
  assert.equal(await valueInCluster("one"), "3");
});

test("an object that the policies do not allow in the cluster is refused", async () => {
  await remote.create("wrong");
  await tenant.addCredential("wrong");
  const object = JSON.parse(configMapFile("six", { value: "1" })) as JsonObject;
  const metadata = { ...objectAt(object, "metadata"), namespace: "kube-system" };
  await remote.commit("wrong", {
    files: { "deploy/a.json": JSON.stringify({ ...object, metadata }) },
  });
  const source = { repoURL: remote.url("wrong"), path: "deploy" };
  await tenant.deploy("wrong", source, { destination: { environment: "east" } });
  const status = await tenant.reached("wrong", (found) =>
    objectsAt(found, "conditions").some((each) => /kube-system/.test(textAt(each, "message"))),
  );
  assert.match(JSON.stringify(status), /may not write the namespace kube-system of the data-plane/);
  assert.equal(await read(cluster, "/api/v1/namespaces/kube-system/configmaps/six"), undefined);
});

test("an environment with a cluster that no policy grants is not connected", async () => {
  await tenant.put(gitopsApi, "gitopsdeploymentmanagedenvironments", {
    apiVersion,
    kind: "GitOpsDeploymentManagedEnvironment",
    metadata: { name: "west" },
    spec: { cluster: "west-1" },
  });
  const path = `${gitopsApi}/namespaces/jane/gitopsdeploymentmanagedenvironments/west`;
  const found = await waitUntil("the condition", async () => {
    const { status } = (await read(server, path)) ?? {};
    const conditions = objectsAt(status, "conditions");
    return conditions.find((each) => textAt(each, "reason") === "PolicyDenied");
  });
  assert.match(textAt(found, "message"), /spec\.destinations\.clusters of a GitOpsPolicy/);
});

interface Reply {
  readonly status: number;
  readonly text: string;
}

async function asAgent(method: string, path: string, body?: JsonObject): Promise<Reply> {
  const token = await tokenOf("east-1");
  const headers = {
    authorization: `Bearer ${token}`,
    "content-type": method === "PATCH" ? "application/merge-patch+json" : "application/json",
  };
  const { promise, resolve, reject } = Promise.withResolvers<Reply>();
  const sent = request(`${server.url}${path}`, { ca: server.ca, method, headers }, (answer) => {
    let text = "";
    answer.setEncoding("utf8").on("data", (part: string) => (text += part));
    answer.on("end", () => resolve({ status: answer.statusCode ?? 0, text }));
  });
  sent.on("error", reject).end(body === undefined ? undefined : JSON.stringify(body));
  return await promise;
}

test("a hostile agent reaches nothing besides the bundles of its cluster", async () => {
  const bundle = (await itemsAt(server, bundles)).find((each) =>
    textAt(each, "metadata", "name").startsWith("deployment-"),
  );
  const name = textAt(bundle, "metadata", "name");
  const own = await asAgent("GET", `${bundles}/${name}/payload?part=0`);
  assert.equal(own.status, 200, own.text);
  const west = bundles.replace("east-1", "west-1");
  const secrets = "/api/v1/namespaces/cluster-east-1/secrets";
  const refused: readonly (readonly [string, string, JsonObject?])[] = [
    ["GET", west],
    ["GET", `${gitopsApi}/syncbundles`],
    ["GET", secrets],
    ["GET", `${secrets}/${textAt(bundle, "spec", "payloadSecret")}-0`],
    ["GET", `${gitopsApi}/namespaces/jane/gitopsdeployments`],
    ["GET", "/api/v1/namespaces/jane/secrets"],
    ["PATCH", `${bundles}/${name}`, { spec: { action: "Remove" } }],
    ["POST", bundles, { apiVersion, kind: "SyncBundle", metadata: { name: "new" }, spec: {} }],
    ["DELETE", `${bundles}/${name}`],
    ["PATCH", `${west}/agent/status`, { status: { phase: "Succeeded" } }],
  ];
  for (const [method, path, body] of refused) {
    const { status, text } = await asAgent(method, path, body);
    assert.equal(status, 403, `${method} ${path}: ${text}`);
  }
});

test("a report that lies or is too large has no effect", async () => {
  await agent.kill9();
  const known = await tenant.statusOf("shop");
  const all = await itemsAt(server, bundles);
  const names = all.map((each) => textAt(each, "metadata", "name"));
  const bomb = gzipSync(Buffer.alloc(400_000_000, " ")).toString("base64");
  const lies = [
    Buffer.from("no document").toString("base64"),
    gzipSync(
      JSON.stringify({ kind: "Compare", about: "wrong", plan: { isSynced: true } }),
    ).toString("base64"),
    gzipSync(JSON.stringify({ kind: "Remove", left: 0 })).toString("base64"),
    bomb,
  ];
  for (const payload of lies) {
    for (const name of names) {
      const { status } = await asAgent("PATCH", `${bundles}/${name}/status`, {
        status: { payload },
      });
      assert.ok(status === 200 || status === 422, String(status));
    }
  }
  const commit = await remote.commit("shop", { files: { "README.md": "lies" } });
  await tenant.refresh("shop");
  await until("the commit", async () => {
    const found = await itemsAt(server, `${gitopsApi}/namespaces/jane/gitsources`);
    return found.some((each) => textAt(each, "status", "revision") === commit);
  });
  const since = await tenant.statusOf("shop");
  assert.equal(textAt(since, "sync", "status"), textAt(known, "sync", "status"));
  assert.equal(textAt(since, "sync", "revision"), textAt(known, "sync", "revision"));
  assert.equal((await server.ask("/livez")).status, 200);
  agent = await startAgent();
  await tenant.reached("shop", isSyncedAt(commit));
});

test("the agent runs the hooks of a deletion around the deletion of the objects", async () => {
  await remote.create("ending");
  await tenant.addCredential("ending");
  const hook = (name: string, phase: string): string => {
    const object = JSON.parse(configMapFile(name, { value: phase })) as JsonObject;
    const annotations = { "gitops.setpoint.dev/hook": phase };
    return JSON.stringify({ ...object, metadata: { name, annotations } });
  };
  const commit = await remote.commit("ending", {
    files: {
      "deploy/a.json": configMapFile("ending", { value: "1" }),
      "deploy/b.json": hook("before", "PreDelete"),
      "deploy/c.json": hook("after", "PostDelete"),
    },
  });
  const source = { repoURL: remote.url("ending"), path: "deploy" };
  await tenant.deployHeld("ending", source, { destination: { environment: "east" } });
  await tenant.reached("ending", isSyncedAt(commit));
  const types: string[] = [];
  const path = "/api/v1/namespaces/jane/configmaps?watch=true";
  using watch = await cluster.watch(path);
  await server.ask(tenant.pathOf("ending"), { method: "DELETE" });
  await until("the deployment to be deleted", async () => {
    return (await read(server, tenant.pathOf("ending"))) === undefined;
  });
  for (const { type, object } of watch.events) types.push(`${type} ${object.metadata.name}`);
  const order = types.filter((each) => /^(?:ADDED (?:before|after)|DELETED)/.test(each));
  const [first, ...rest] = order;
  assert.equal(first, "ADDED before");
  assert.deepEqual(rest.toSorted(), [
    "ADDED after",
    "DELETED after",
    "DELETED before",
    "DELETED ending",
  ]);
  assert.ok(order.indexOf("ADDED after") > order.indexOf("DELETED ending"), order.join());
  for (const name of ["ending", "before", "after"]) {
    assert.equal(await valueInCluster(name), undefined);
  }
});

test("a deleted deployment leaves no object in the cluster, and no bundle", async () => {
  await server.ask(tenant.pathOf("wrong"), { method: "DELETE" });
  await server.ask(tenant.pathOf("shop"), { method: "DELETE" });
  await until("the objects to be deleted", async () => (await valueInCluster("one")) === undefined);
  await until("the records to be deleted", async () => {
    const left = await itemsAt(server, bundles);
    const kept = await itemsAt(server, `${gitopsApi}/namespaces/jane/inventories`);
    const secrets = await itemsAt(server, "/api/v1/namespaces/cluster-east-1/secrets");
    return left.length === 1 && kept.length === 0 && secrets.length === 0;
  });
  assert.equal(await valueInCluster("later"), undefined);
});

// Deployments of a real server over their life: other sources, environments that are deleted, what
// policies refuse, many tenants, and Secrets.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { JsonObject } from "../../src/kernel/json.ts";
import { objectAt, objectsAt, textAt } from "../../src/kernel/json-read.ts";
import { startSetpoint } from "../peers/setpoint.ts";
import type { Setpoint } from "../peers/setpoint.ts";
import { waitUntil } from "../peers/wait.ts";
import { gitopsLimits } from "../../src/modules/gitops/limits.ts";
import { startFaultyApi } from "./faulty-api.ts";
import { startGitRemote } from "./git-remote.ts";
import type { GitRemote } from "./git-remote.ts";
import { Tenant, allowLoopback, configMapFile, gitopsApi, isSyncedAt } from "./tenant.ts";
import { addEnvironment, itemsAt, put, read } from "./tenant.ts";

let remote: GitRemote;
let server: Setpoint;
let jane: Tenant;

before(async () => {
  [remote, server] = await Promise.all([startGitRemote(), startSetpoint()]);
  await allowLoopback(server);
  jane = new Tenant(server, remote, "jane");
  await jane.setUp();
});
after(async () => {
  await server?.[Symbol.asyncDispose]();
  await remote?.[Symbol.asyncDispose]();
});

async function repository(tenant: Tenant, name: string): Promise<string> {
  await remote.create(name);
  await tenant.addCredential(name);
  return remote.url(name);
}

async function names(tenant: Tenant, prefix: string): Promise<readonly string[]> {
  const items = await itemsAt(server, `/api/v1/namespaces/${tenant.namespace}/configmaps`);
  const all = items.map((item) => textAt(item, "metadata", "name"));
  return all.filter((name) => name.startsWith(prefix)).toSorted();
}

function problemOf(status: JsonObject): string {
  const conditions = objectsAt(status, "conditions");
  const found = conditions.find((each) => textAt(each, "type") === "ErrorOccurred");
  return textAt(found, "status") === "True" ? textAt(found, "message") : "";
}

test("another path, revision or URL applies the new objects and prunes the old ones", async () => {
  const first = await repository(jane, "first");
  const second = await repository(jane, "second");
  const file = (name: string): string => configMapFile(`row-${name}`, { value: "1" });
  const one = await remote.commit("first", {
    files: { "one/a.json": file("a"), "two/b.json": file("b") },
  });
  const branch = await remote.commit("first", {
    branch: "next",
    files: { "two/c.json": file("c") },
  });
  const other = await remote.commit("second", { files: { "two/d.json": file("d") } });
  const steps: readonly (readonly [JsonObject, string, string])[] = [
    [{ repoURL: first, path: "one" }, one, "row-a"],
    [{ repoURL: first, path: "two" }, one, "row-b"],
    [{ repoURL: first, path: "two", targetRevision: "next" }, branch, "row-c"],
    [{ repoURL: second, path: "two" }, other, "row-d"],
  ];
  for (const [source, commit, name] of steps) {
    await jane.deploy("moving", source);
    const isReached = isSyncedAt(commit);
    const path = textAt(source, "path");
    const status = await jane.reached(
      "moving",
      (found) => isReached(found) && textAt(found, "reconciledState", "source", "path") === path,
    );
    await waitUntil(name, async () => (await names(jane, "row-")).join() === name);
    const { repoURL } = objectAt(status, "reconciledState", "source");
    assert.equal(repoURL, textAt(source, "repoURL"));
  }
});

test("a deployment whose environment is deleted shows the problem, and recovers", async () => {
  await using target = await startSetpoint();
  await put(target, "/api/v1/namespaces/shop", {
    apiVersion: "v1",
    kind: "Namespace",
    metadata: { name: "shop" },
  });
  await addEnvironment(jane, "staging", { url: target.url, ca: target.ca, token: target.token });
  const repoURL = await repository(jane, "staged");
  const commit = await remote.commit("staged", {
    files: { "deploy/a.json": configMapFile("staged", { value: "1" }) },
  });
  const destination = { environment: "staging", namespace: "shop" };
  await jane.deploy("staged", { repoURL, path: "deploy" }, { destination });
  await jane.reached("staged", isSyncedAt(commit));
  const path = `${gitopsApi}/namespaces/jane/gitopsdeploymentmanagedenvironments/staging`;
  await server.ask(path, { method: "DELETE" });
  const missing = /the GitOpsDeploymentManagedEnvironment staging does not exist/;
  await jane.reached("staged", (status) => missing.test(problemOf(status)));
  const live = "/api/v1/namespaces/shop/configmaps/staged";
  assert.ok(await read(target, live), "the objects stay");
  await addEnvironment(jane, "staging", { url: target.url, ca: target.ca, token: target.token });
  await jane.reached("staged", (status) => isSyncedAt(commit)(status) && problemOf(status) === "");
});

test("other namespaces and objects without a namespace are refused without a policy", async () => {
  const bob = new Tenant(server, remote, "bob");
  await bob.setUp();
  const repoURL = await repository(jane, "reaching");
  const object = JSON.parse(configMapFile("reached", { value: "1" })) as JsonObject;
  const inBob = { ...object, metadata: { name: "reached", namespace: "bob" } };
  await remote.commit("reaching", { files: { "deploy/a.json": JSON.stringify(inBob) } });
  await jane.deploy("reaching", { repoURL, path: "deploy" });
  await jane.reached("reaching", (status) =>
    /may not write the namespace bob/.test(problemOf(status)),
  );
  const role = { apiVersion: "rbac.authorization.k8s.io/v1", kind: "ClusterRole" };
  const all = { ...role, metadata: { name: "reached" }, rules: [] };
  await remote.commit("reaching", { files: { "deploy/a.json": JSON.stringify(all) } });
  await jane.refresh("reaching");
  await jane.reached("reaching", (status) => /objects without a namespace/.test(problemOf(status)));
  assert.equal(await read(server, "/api/v1/namespaces/bob/configmaps/reached"), undefined);
  const clusterRole = "/apis/rbac.authorization.k8s.io/v1/clusterroles/reached";
  assert.equal(await read(server, clusterRole), undefined);
});

test("no log, status, event or record shows a value of a Secret in git", async () => {
  const repoURL = await repository(jane, "hiding");
  const secret = (value: string): string =>
    JSON.stringify({
      apiVersion: "v1",
      kind: "Secret",
      metadata: { name: "hidden" },
      stringData: { value },
    });
  const values = ["hidden-first-71", "hidden-second-72"];
  for (const value of values) {
    const commit = await remote.commit("hiding", { files: { "deploy/a.json": secret(value) } });
    await jane.deploy("hiding", { repoURL, path: "deploy" });
    await refreshAll();
    await jane.reached("hiding", isSyncedAt(commit));
  }
  // A change of the live object is a difference, and an invalid Secret an error.
  const headers = { "content-type": "application/merge-patch+json" };
  const body = { stringData: { value: "hidden-third-73" } };
  await server.ask("/api/v1/namespaces/jane/secrets/hidden", { method: "PATCH", headers, body });
  const wrong = JSON.stringify({
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: "hidden" },
    data: { value: "hidden-fourth-74!" },
  });
  await remote.commit("hiding", { files: { "deploy/a.json": wrong } });
  await refreshAll();
  await jane.reached("hiding", (status) => problemOf(status) !== "");
  const kinds = ["gitopsdeployments", "operations", "inventories", "gitsources"];
  const shown = [
    server.log(),
    JSON.stringify(await itemsAt(server, "/api/v1/namespaces/jane/events")),
  ];
  for (const kind of kinds) {
    shown.push(JSON.stringify(await itemsAt(server, `${gitopsApi}/namespaces/jane/${kind}`)));
  }
  const all = shown.join("\n");
  const plain = [...values, "hidden-third-73", "hidden-fourth-74"];
  for (const text of plain) {
    const base64 = Buffer.from(text).toString("base64").slice(0, -4);
    assert.ok(!all.includes(text) && !all.includes(base64), `${text} is shown`);
  }
  assert.match(all, /Secret jane\/hidden/, "the object is named");
});

async function refreshAll(): Promise<void> {
  const found = await itemsAt(server, `${gitopsApi}/namespaces/jane/gitsources`);
  const headers = { "content-type": "application/merge-patch+json" };
  for (const source of found) {
    const annotations = { "gitops.setpoint.dev/refresh": String(performance.now()) };
    const path = `${gitopsApi}/namespaces/jane/gitsources/${textAt(source, "metadata", "name")}`;
    await server.ask(path, { method: "PATCH", headers, body: { metadata: { annotations } } });
  }
}

test("why names the deployment that another one waits for", async () => {
  const repoURL = await repository(jane, "waiting");
  await remote.commit("waiting", {
    files: { "deploy/a.json": configMapFile("waiting", { value: "1" }) },
  });
  const dependsOn = [{ name: "absent" }];
  await jane.deploy("waiting", { repoURL, path: "deploy" }, { dependsOn });
  await jane.reached("waiting", (status) => objectsAt(status, "waitingFor").length === 1);
  const { body } = await server.ask(`${jane.pathOf("waiting")}/why`);
  assert.match(body.toString(), /the GitOpsDeployment absent does not exist/);
});

test("a target that hangs delays no deployment of another tenant", async () => {
  await using target = await startSetpoint();
  await put(target, "/api/v1/namespaces/shop", {
    apiVersion: "v1",
    kind: "Namespace",
    metadata: { name: "shop" },
  });
  await using api = await startFaultyApi(target);
  const stuck = new Tenant(server, remote, "stuck");
  await stuck.setUp();
  await addEnvironment(stuck, "hanging", { url: api.url, ca: api.ca, token: target.token });
  const file = configMapFile("row", { value: "1" });
  const stuckURL = await repository(stuck, "stuck");
  await remote.commit("stuck", { files: { "deploy/a.json": file } });
  const source = { repoURL: stuckURL, path: "deploy" };
  const destination = { environment: "hanging", namespace: "shop" };
  await stuck.deploy("first", source, { destination });
  await stuck.reached("first", (status) => textAt(status, "sync", "status") === "Synced");
  api.fault = () => "hang";
  const earlier = api.failed();
  for (let app = 0; app < 20; app += 1) await stuck.deploy(`app-${app}`, source, { destination });
  await waitUntil("calls that hang", async () => api.failed() >= earlier + 4);

  const free = new Tenant(server, remote, "free");
  await free.setUp();
  const repoURL = await repository(free, "free");
  const apps = ["one", "two", "three"];
  const files: Record<string, string> = {};
  for (const name of apps) files[`${name}/a.json`] = configMapFile(name, { value: "1" });
  const commit = await remote.commit("free", { files });
  // Less than one call to the target may take.
  const limitMs = gitopsLimits.targetTimeoutMs / 2;
  for (const name of apps) {
    await free.deploy(name, { repoURL, path: name });
    await free.reached(name, isSyncedAt(commit), limitMs);
  }
  assert.equal(textAt(await stuck.statusOf("app-0"), "sync", "status") === "Synced", false);
});

test("a host that hangs delays none of 100 deployments of 10 other tenants", async () => {
  await using hanging = await startGitRemote();
  const slow = new Tenant(server, hanging, "slow");
  await slow.setUp();
  await hanging.create("slow");
  await slow.addCredential("slow");
  hanging.fault = { kind: "hang" };
  for (let app = 0; app < 5; app += 1) {
    await slow.deploy(`app-${app}`, { repoURL: hanging.url("slow"), path: `app-${app}` });
  }
  const tenants = Array.from({ length: 10 }, (_, at) => new Tenant(server, remote, `team-${at}`));
  const heads = new Map<Tenant, string>();
  for (const tenant of tenants) {
    const { namespace } = tenant;
    await tenant.setUp();
    const repoURL = await repository(tenant, namespace);
    const files: Record<string, string> = {};
    for (let app = 0; app < 10; app += 1) {
      files[`app-${app}/a.json`] = configMapFile(`app-${app}`, { value: "1" });
    }
    heads.set(tenant, await remote.commit(namespace, { files }));
    for (let app = 0; app < 10; app += 1) {
      await tenant.deploy(`app-${app}`, { repoURL, path: `app-${app}` });
    }
  }
  for (const [tenant, head] of heads) {
    for (let app = 0; app < 10; app += 1) await tenant.reached(`app-${app}`, isSyncedAt(head));
  }
  assert.equal(textAt(await slow.statusOf("app-0"), "sync", "status") === "Synced", false);
});

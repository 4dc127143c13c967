// The resource tree of a deployment to a second Setpoint, by the command line and the REST API.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { promisify } from "node:util";
import type { JsonObject } from "../../src/kernel/json.ts";
import { objectsAt, textAt } from "../../src/kernel/json-read.ts";
import { startSetpoint } from "../peers/setpoint.ts";
import type { Setpoint } from "../peers/setpoint.ts";
import { waitUntil } from "../peers/wait.ts";
import { startGitRemote } from "./git-remote.ts";
import type { GitRemote } from "./git-remote.ts";
import { Tenant, addEnvironment, allowLoopback, isSyncedAt, put, read } from "./tenant.ts";

const program = join(import.meta.dirname, "..", "..", "bin", "setpoint");
const rbac = "rbac.authorization.k8s.io";
const shop = "/apis/shop.example/v1/namespaces/shop/sites";
const slices = "/apis/discovery.k8s.io/v1/namespaces/shop/endpointslices";

let remote: GitRemote;
let server: Setpoint;
let target: Setpoint;

before(async () => {
  [remote, server, target] = await Promise.all([
    startGitRemote(),
    startSetpoint(),
    startSetpoint(),
  ]);
  await allowLoopback(server);
});
after(async () => {
  await server?.[Symbol.asyncDispose]();
  await target?.[Symbol.asyncDispose]();
  await remote?.[Symbol.asyncDispose]();
});

async function define(group: string, kind: string, plural: string): Promise<void> {
  const name = `${plural}.${group}`;
  const api = "apiextensions.k8s.io/v1";
  const openAPIV3Schema = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
  await put(target, `/apis/${api}/customresourcedefinitions/${name}`, {
    apiVersion: api,
    kind: "CustomResourceDefinition",
    metadata: { name, annotations: { "api-approved.kubernetes.io": "unapproved, a test" } },
    spec: {
      group,
      scope: "Namespaced",
      names: { plural, singular: kind.toLowerCase(), kind },
      versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema } }],
    },
  });
  const path = `/apis/${group}/v1/namespaces/shop/${plural}`;
  await waitUntil(name, async () => (await target.ask(path)).status === 200);
}

async function treeAs(user: string): Promise<JsonObject> {
  const path = "/api/v1/gitops/deployments/jane/shop/tree";
  const { status, body } = await server.ask(path, { headers: { "impersonate-user": user } });
  assert.equal(status, 200, body.toString());
  return JSON.parse(body.toString()) as JsonObject;
}

test("the tree has the objects that controllers created in the other server", async () => {
  const metadata = { name: "shop" };
  await put(target, "/api/v1/namespaces/shop", { apiVersion: "v1", kind: "Namespace", metadata });
  await define("shop.example", "Site", "sites");
  await define("discovery.k8s.io", "EndpointSlice", "endpointslices");
  const jane = new Tenant(server, remote, "jane");
  await jane.setUp();
  await addEnvironment(jane, "remote", { url: target.url, ca: target.ca, token: target.token });
  await remote.create("shop");
  await jane.addCredential("shop");
  const site = { apiVersion: "shop.example/v1", kind: "Site", metadata: { name: "web" } };
  const commit = await remote.commit("shop", {
    files: { "deploy/site.json": JSON.stringify(site) },
  });
  const destination = { environment: "remote", namespace: "shop" };
  await jane.deploy("shop", { repoURL: remote.url("shop"), path: "deploy" }, { destination });
  await jane.reached("shop", isSyncedAt(commit));

  const uid = textAt(await read(target, `${shop}/web`), "metadata", "uid");
  const slice = (name: string, owner: string): JsonObject => ({
    apiVersion: "discovery.k8s.io/v1",
    kind: "EndpointSlice",
    metadata: {
      name,
      namespace: "shop",
      ownerReferences: [{ apiVersion: "shop.example/v1", kind: "Site", name: "web", uid: owner }],
    },
  });
  await put(target, `${slices}/web-1`, slice("web-1", uid));
  const ran = await promisify(execFile)(program, ["gitops", "tree", "shop", "-n", "jane"], {
    env: { ...process.env, KUBECONFIG: server.kubeconfig, NO_COLOR: "1" },
  });
  const [title, ...lines] = ran.stdout.trimEnd().split("\n");
  assert.match(title ?? "", /^OBJECT +SYNC +HEALTH +MESSAGE$/);
  assert.match(lines[0] ?? "", /^Site\.shop\.example shop\/web +Synced +-$/);
  assert.match(lines[1] ?? "", /^ {2}EndpointSlice\.discovery\.k8s\.io shop\/web-1 +- +-$/);
  assert.equal(lines.length, 2);

  // A user who may read the deployment, and not the kubeconfig of its environment.
  const rules = [
    { apiGroups: ["gitops.setpoint.dev"], resources: ["gitopsdeployments"], verbs: ["get"] },
  ];
  const version = `${rbac}/v1`;
  await jane.put(`/apis/${version}`, "roles", {
    apiVersion: version,
    kind: "Role",
    metadata: { name: "viewer" },
    rules,
  });
  await jane.put(`/apis/${version}`, "rolebindings", {
    apiVersion: version,
    kind: "RoleBinding",
    metadata: { name: "viewer" },
    roleRef: { apiGroup: rbac, kind: "Role", name: "viewer" },
    subjects: [{ apiGroup: rbac, kind: "User", name: "viewer" }],
  });
  const seen = await treeAs("viewer");
  const [node] = objectsAt(seen, "nodes");
  assert.deepEqual([textAt(node, "name"), node?.["children"]], ["web", []]);
  assert.match(JSON.stringify(seen["notes"]), /who may get the Secret remote"/);
  assert.doesNotMatch(JSON.stringify(seen), /web-1/);

  await target.stop();
  const down = await server.ask("/api/v1/gitops/deployments/jane/shop/tree");
  assert.equal(down.status, 200, down.body.toString());
  assert.match(down.body.toString(), /"notes":\["the environment did not answer: /);
});

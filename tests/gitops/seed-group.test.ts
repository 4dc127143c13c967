// Manifests of managed-gitops.redhat.com/v1alpha1 with kubectl, unchanged, against a server.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { objectAt, objectsAt, textAt, textsAt } from "../../src/kernel/json-read.ts";
import type { JsonObject } from "../../src/kernel/json.ts";
import { kubectlPaths, openKubectl } from "../peers/kubectl.ts";
import type { Kubectl } from "../peers/kubectl.ts";
import { isSyncedAt, startServerRig } from "./server-rig.ts";
import type { ServerRig } from "./server-rig.ts";

const deployments = "gitopsdeployments.managed-gitops.redhat.com";
const rbac = "rbac.authorization.k8s.io";
const runs = "gitopsdeploymentsyncruns.managed-gitops.redhat.com";
let rig: ServerRig;
let kubectl: Kubectl;

before(async () => {
  rig = await startServerRig({ seedGroup: true, pollSeconds: 10 });
  await rig.tenant("jane");
  const [path = ""] = kubectlPaths();
  kubectl = await openKubectl(path, rig.server.kubeconfig);
});

after(async () => {
  await kubectl[Symbol.asyncDispose]();
  await rig[Symbol.asyncDispose]();
});

/** A repository that needs no credential, with one ConfigMap. */
async function repository(name: string): Promise<string> {
  await rig.remote.create(name);
  const { caBundle } = rig.remote;
  const login = { username: "jane", password: "none" };
  const type = "managed-gitops.redhat.com/repository-credential";
  const metadata = { name, namespace: "jane" };
  await rig.apply({ apiVersion: "v1", kind: "Secret", metadata, type, stringData: login });
  const spec = { repository: rig.remote.url(name), secret: name, caBundle };
  const kind = "GitOpsDeploymentRepositoryCredential";
  await rig.apply({ apiVersion: "gitops.setpoint.dev/v1", kind, metadata, spec });
  const map = `kind: ConfigMap\nmetadata: { name: ${name} }\ndata: { key: "1" }\n`;
  const files = { "deploy/map.yaml": `apiVersion: v1\n${map}` };
  return await rig.remote.commit(name, { files });
}

const manifest = (name: string, type: string, more = ""): string =>
  [
    "apiVersion: managed-gitops.redhat.com/v1alpha1",
    "kind: GitOpsDeployment",
    "metadata:",
    `  name: ${name}`,
    "  namespace: jane",
    "spec:",
    "  source:",
    `    repoURL: ${rig.remote.url(name)}`,
    "    path: deploy",
    more,
    `  type: ${type}`,
    "",
  ].join("\n");

async function read(name: string): Promise<JsonObject> {
  const text = await kubectl.ok(["get", deployments, name, "-n", "jane", "-o", "json"]);
  return JSON.parse(text) as JsonObject;
}

test("kubectl applies manifests of managed-gitops unchanged, and shows their status", async () => {
  const commit = await repository("shop");
  const apply = ["apply", "-f", "-"];
  const input = manifest("shop", "automated");
  assert.match(await kubectl.ok(apply, { input }), /created/);
  await rig.reached("jane", "shop", "the commit", isSyncedAt(commit));
  assert.match(await kubectl.ok(apply, { input }), /unchanged/);
  const table = await kubectl.ok(["get", deployments, "-n", "jane"]);
  assert.match(table, /^NAME +SYNC STATUS +HEALTH STATUS\nshop +Synced +\S+\n$/);
  const shown = await read("shop");
  assert.equal(textAt(shown, "apiVersion"), "managed-gitops.redhat.com/v1alpha1");
  assert.equal(textAt(shown, "status", "reconciledState", "source", "path"), "deploy");
  const [resource = {}] = objectsAt(shown, "status", "resources");
  assert.equal(textAt(resource, "name"), "shop");
  const paths = await kubectl.ok(["explain", "gitopsdeployment.spec", "--api-version", apiVersion]);
  assert.match(paths, /syncPolicy/);
});

const apiVersion = "managed-gitops.redhat.com/v1alpha1";

test("a SyncRun of the other group syncs a manual deployment", async () => {
  const commit = await repository("by-hand");
  await kubectl.ok(["apply", "-f", "-"], { input: manifest("by-hand", "manual") });
  const spec = { gitopsDeploymentName: "by-hand" };
  const metadata = { name: "run", namespace: "jane" };
  const run = { apiVersion, kind: "GitOpsDeploymentSyncRun", metadata, spec };
  await kubectl.ok(["apply", "-f", "-"], { input: run });
  const waiting = ["wait", `${runs}/run`, "-n", "jane", "--timeout=60s"];
  await kubectl.ok([...waiting, "--for=condition=ErrorOccurred=False"]);
  await rig.reached("jane", "by-hand", "the commit", isSyncedAt(commit));
});

test("server-side apply in the other group removes only what it applied", async () => {
  await repository("applied");
  const apply = ["apply", "--server-side", "--field-manager", "jane", "-f", "-"];
  const withRevision = manifest("applied", "manual", "    targetRevision: main");
  await kubectl.ok(apply, { input: withRevision });
  const path = "/apis/gitops.setpoint.dev/v1/namespaces/jane/gitopsdeployments/applied";
  const patched = await rig.server.ask(path, {
    method: "PATCH",
    body: { spec: { serviceAccountName: "gitops", source: { intervalSeconds: 60 } } },
    headers: { "content-type": "application/merge-patch+json" },
  });
  assert.equal(patched.status, 200);
  await rig.reached("jane", "applied", "a status", (each) => "sync" in objectAt(each, "status"));
  await kubectl.ok(apply, { input: manifest("applied", "manual") });
  const own = await rig.deployment("jane", "applied");
  assert.deepEqual(objectAt(own, "spec", "source"), {
    repoURL: rig.remote.url("applied"),
    path: "deploy",
    intervalSeconds: 60,
  });
  assert.equal(textAt(own, "spec", "serviceAccountName"), "gitops");
  const other = apply.with(3, "bob");
  const conflict = await kubectl.refused(other, { input: manifest("applied", "automated") });
  assert.match(conflict, /conflict with "jane"/);
});

test("a user who may write deployments gains no account by the other group", async () => {
  await repository("guarded");
  const as = ["--as", "ann", "-n", "jane"];
  const groups = ["managed-gitops.redhat.com", "gitops.setpoint.dev"];
  const rules = [{ apiGroups: groups, resources: ["gitopsdeployments"], verbs: ["*"] }];
  const metadata = { name: "ann", namespace: "jane" };
  await rig.apply({ apiVersion: `${rbac}/v1`, kind: "Role", metadata, rules });
  const binding = ["rolebinding", "ann", "-n", "jane", "--role", "ann", "--user", "ann"];
  await kubectl.ok(["create", ...binding]);
  await kubectl.ok(["create", "serviceaccount", "admin", "-n", "jane"]);
  const admin = ["admin-of-all", "--clusterrole=cluster-admin", "--serviceaccount=jane:admin"];
  await kubectl.ok(["create", "clusterrolebinding", ...admin]);
  await kubectl.ok(["apply", ...as, "-f", "-"], { input: manifest("guarded", "manual") });
  const account = { spec: { serviceAccountName: "admin" } };
  const own = "gitopsdeployments.gitops.setpoint.dev";
  const merge = ["--type", "merge", "-p", JSON.stringify(account)];
  await kubectl.ok(["patch", own, "guarded", "-n", "jane", ...merge]);
  for (const group of groups) {
    const patch = ["patch", `gitopsdeployments.${group}`, "guarded", ...as, "--type", "merge"];
    const path = { spec: { source: { path: group } } };
    const refused = await kubectl.run([...patch, "-p", JSON.stringify(path)]);
    assert.equal(refused.code, 1, `${group}: ${refused.stdout}`);
    assert.match(refused.stderr, /admin/);
  }
  await kubectl.ok(["delete", deployments, "guarded", ...as]);
  assert.deepEqual(
    await rig.read(`/apis/${apiVersion}/namespaces/jane/gitopsdeployments/guarded`),
    undefined,
  );
});

test("a deleted deployment of the other group leaves no objects", async () => {
  const commit = await repository("ended");
  const input = manifest("ended", "automated").replace(
    "  namespace: jane",
    "  namespace: jane\n  finalizers: [resources-finalizer.managed-gitops.redhat.com]",
  );
  await kubectl.ok(["apply", "-f", "-"], { input });
  await rig.reached("jane", "ended", "the commit", isSyncedAt(commit));
  await kubectl.ok(["delete", deployments, "ended", "-n", "jane", "--timeout=60s"]);
  assert.equal(await rig.read("/api/v1/namespaces/jane/configmaps/ended"), undefined);
  assert.deepEqual(textsAt(await rig.deployment("jane", "ended"), "metadata", "finalizers"), []);
});

test("a namespace is deleted with the resources that both groups show", async () => {
  await rig.tenant("bob");
  const input = manifest("shop", "manual").replace("namespace: jane", "namespace: bob");
  await kubectl.ok(["apply", "-f", "-"], { input });
  await kubectl.ok(["delete", "namespace", "bob", "--timeout=100s"]);
  const path = `/apis/${apiVersion}/namespaces/bob/gitopsdeployments/shop`;
  assert.equal(await rig.read(path), undefined);
});

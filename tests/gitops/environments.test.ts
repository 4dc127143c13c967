// Managed environments of a real server: a second Setpoint over TLS is the target.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { JsonObject } from "../../src/kernel/json.ts";
import { objectsAt, textAt } from "../../src/kernel/json-read.ts";
import { startKubeServer } from "../kube/server.ts";
import type { KubeServer } from "../kube/server.ts";
import { waitUntil } from "../peers/wait.ts";

const group = "/apis/gitops.setpoint.dev/v1";
const environments = `${group}/namespaces/jane/gitopsdeploymentmanagedenvironments`;
const secrets = "/api/v1/namespaces/jane/secrets";
const secretType = "gitops.setpoint.dev/managed-environment";
const conditionType = "ConnectionInitializationSucceeded";

let server: KubeServer;
let cluster: KubeServer;

before(async () => {
  [server, cluster] = await Promise.all([startKubeServer(), startKubeServer()]);
  await made(server, "/api/v1/namespaces", object("v1", "Namespace", "jane"));
  const policy = object("gitops.setpoint.dev/v1", "GitOpsPolicy", "local");
  const allowPrivate = { cidrs: ["127.0.0.0/8"] };
  const spec = { namespaces: { names: ["jane"] }, repositories: { allowPrivate } };
  await made(server, `${group}/gitopspolicies`, { ...policy, spec });
  await made(cluster, "/api/v1/namespaces", object("v1", "Namespace", "shop"));
});
after(async () => {
  await server?.[Symbol.asyncDispose]();
  await cluster?.[Symbol.asyncDispose]();
});

function object(apiVersion: string, kind: string, name: string): JsonObject {
  return { apiVersion, kind, metadata: { name } };
}

async function made(at: KubeServer, path: string, body: JsonObject): Promise<void> {
  const { status, text } = await at.request("POST", path, body);
  assert.ok(status === 201 || status === 200, `${path}: ${status} ${text}`);
}

interface Parts {
  readonly token?: string;
  readonly ca?: string;
  readonly server?: string;
  readonly user?: JsonObject;
  readonly cluster?: JsonObject;
}

function kubeconfig({ token = cluster.token, ca = cluster.ca, ...parts }: Parts = {}): string {
  const about = {
    server: parts.server ?? cluster.url,
    "certificate-authority-data": Buffer.from(ca).toString("base64"),
    ...parts.cluster,
  };
  return JSON.stringify({
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: "c", cluster: about }],
    users: [{ name: "u", user: parts.user ?? { token } }],
    contexts: [{ name: "x", context: { cluster: "c", user: "u" } }],
  });
}

async function secret(name: string, text: string, more: JsonObject = {}): Promise<void> {
  const stringData = { kubeconfig: text };
  const body = { ...object("v1", "Secret", name), type: secretType, stringData, ...more };
  await made(server, secrets, body);
}

async function environment(name: string, spec: JsonObject = {}): Promise<void> {
  const body = object("gitops.setpoint.dev/v1", "GitOpsDeploymentManagedEnvironment", name);
  const whole = { apiURL: cluster.url, credentialsSecret: name, ...spec };
  await made(server, environments, { ...body, spec: whole });
}

/** Waits until the condition has the reason, and returns the environment. */
async function reports(name: string, reason: string): Promise<JsonObject> {
  let found: JsonObject = {};
  const check = async (): Promise<boolean> => {
    found = (await server.request("GET", `${environments}/${name}`)).json as JsonObject;
    return conditionOf(found)?.["reason"] === reason;
  };
  try {
    await waitUntil(`${name} to report ${reason}`, check);
  } catch (error) {
    throw new Error(`${name}: ${JSON.stringify(found["status"])}`, { cause: error });
  }
  const isConnected = reason === "Succeeded";
  assert.equal(conditionOf(found)?.["status"], isConnected ? "True" : "False");
  return found;
}

function conditionOf(resource: JsonObject): JsonObject | undefined {
  return objectsAt(resource, "status", "conditions").find((each) => each["type"] === conditionType);
}

test("a server with a good token is connected, and its credential is not shown", async () => {
  await secret("good", kubeconfig());
  await environment("good");
  const found = await reports("good", "Succeeded");
  assert.equal(textAt(found, "status", "server"), cluster.url);
  assert.match(textAt(found, "status", "version"), /^v1\./);
  assert.notEqual(textAt(found, "status", "serverUID"), "");
  assert.doesNotMatch(JSON.stringify(found), new RegExp(cluster.token));
});

test("each cause has its own reason", async () => {
  await environment("missing");
  await environment("unnamed", { credentialsSecret: "" });
  await secret("type", kubeconfig(), { type: "Opaque" });
  await environment("type");
  await secret("empty", "", { stringData: { other: "x" } });
  await environment("empty");
  await secret("garbage", "{ not: [a kubeconfig");
  await environment("garbage");
  await secret("server", kubeconfig({ server: "https://other.example:6443" }));
  await environment("server");
  const pem = Buffer.from(cluster.ca).toString("base64");
  const user = { "client-certificate-data": pem, "client-key-data": pem };
  await secret("certificate", kubeconfig({ user }));
  await environment("certificate");
  const exec = { exec: { command: "touch", args: ["/tmp/setpoint-was-here"] } };
  await secret("exec", kubeconfig({ user: exec }));
  await environment("exec");
  await secret("file", kubeconfig({ user: { tokenFile: "/etc/hostname" } }));
  await environment("file");
  await secret("proxy", kubeconfig({ cluster: { "proxy-url": "http://127.0.0.1:1" } }));
  await environment("proxy");
  await secret("token", kubeconfig({ token: "sentinel-wrong-token" }));
  await environment("token");
  await secret("authority", kubeconfig({ ca: server.ca }));
  await environment("authority");
  await secret("query", kubeconfig());
  await environment("query", { apiURL: `${cluster.url}/?a=1&b=2` });
  await environment("list", { credentialsSecret: "good", namespaces: ["shop", "Not_A_Name"] });
  const closed = "https://127.0.0.1:1";
  await secret("closed", kubeconfig({ server: closed }));
  await environment("closed", { apiURL: closed });

  await reports("missing", "SecretNotFound");
  await reports("unnamed", "SecretNotSpecified");
  await reports("type", "InvalidSecretType");
  await reports("empty", "MissingKubeConfigField");
  await reports("garbage", "UnableToParseKubeconfigData");
  await reports("server", "UnableToLocateContext");
  for (const name of ["certificate", "exec", "file", "proxy"]) {
    await reports(name, "UnsupportedCredentials");
  }
  const refused = await reports("token", "UnableToValidateClusterCredentials");
  assert.doesNotMatch(JSON.stringify(refused), /sentinel-wrong-token/);
  await reports("authority", "UnknownCertificateAuthority");
  await reports("query", "UnsupportedAPIURL");
  const list = await reports("list", "InvalidNamespaceList");
  assert.match(textAt(conditionOf(list), "message"), /spec\.namespaces: "Not_A_Name"/);
  await reports("closed", "Unreachable");
});

test("a token with rights in its namespaces alone needs spec.namespaces", async () => {
  const accounts = "/api/v1/namespaces/shop/serviceaccounts";
  await made(cluster, accounts, object("v1", "ServiceAccount", "narrow"));
  const rbac = "/apis/rbac.authorization.k8s.io/v1";
  const api = "rbac.authorization.k8s.io";
  const rules = [{ apiGroups: [""], resources: ["namespaces"], verbs: ["get"] }];
  const role = { ...object(`${api}/v1`, "ClusterRole", "narrow"), rules };
  await made(cluster, `${rbac}/clusterroles`, role);
  await made(cluster, `${rbac}/namespaces/shop/rolebindings`, {
    ...object(`${api}/v1`, "RoleBinding", "narrow"),
    roleRef: { apiGroup: api, kind: "ClusterRole", name: "narrow" },
    subjects: [{ kind: "ServiceAccount", name: "narrow", namespace: "shop" }],
  });
  const request = { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", spec: {} };
  const answer = await cluster.request("POST", `${accounts}/narrow/token`, request);
  const token = textAt(answer.json as JsonObject, "status", "token");
  await secret("narrow", kubeconfig({ token }));
  await environment("narrow");
  await reports("narrow", "Forbidden");
  const patch = { spec: { namespaces: ["shop"] } };
  const { status } = await server.request("PATCH", `${environments}/narrow`, patch);
  assert.equal(status, 200);
  await reports("narrow", "Succeeded");
});

test("an environment recovers when its Secret is fixed, without an edit", async () => {
  await secret("fixed", kubeconfig({ token: "wrong-token" }));
  await environment("fixed");
  await reports("fixed", "UnableToValidateClusterCredentials");
  const patch = { stringData: { kubeconfig: kubeconfig() } };
  assert.equal((await server.request("PATCH", `${secrets}/fixed`, patch)).status, 200);
  await reports("fixed", "Succeeded");
  await environment("later");
  await reports("later", "SecretNotFound");
  await secret("later", kubeconfig());
  await reports("later", "Succeeded");
});

test("a private address is not called without a policy", async () => {
  await made(server, "/api/v1/namespaces", object("v1", "Namespace", "bob"));
  const theirs = (path: string): string => path.replace("/jane/", "/bob/");
  const body = { ...object("v1", "Secret", "own"), type: secretType };
  await made(server, theirs(secrets), { ...body, stringData: { kubeconfig: kubeconfig() } });
  const kind = "GitOpsDeploymentManagedEnvironment";
  const spec = { apiURL: cluster.url, credentialsSecret: "own" };
  await made(server, theirs(environments), {
    ...object("gitops.setpoint.dev/v1", kind, "own"),
    spec,
  });
  await waitUntil("the environment to be refused", async () => {
    const { json } = await server.request("GET", theirs(`${environments}/own`));
    return conditionOf(json as JsonObject)?.["reason"] === "PolicyDenied";
  });
});

test("a new ServiceAccount has rights in the namespaces alone, and goes with them", async () => {
  await made(cluster, "/api/v1/namespaces", object("v1", "Namespace", "more"));
  await secret("account", kubeconfig());
  await environment("account", { namespaces: ["shop", "more"], createNewServiceAccount: true });
  const found = await reports("account", "Succeeded");
  const name = textAt(found, "status", "serviceAccount", "name");
  const rbac = "/apis/rbac.authorization.k8s.io/v1";
  const exists = async (path: string): Promise<boolean> =>
    (await cluster.request("GET", path)).status === 200;
  const binding = (namespace: string): string =>
    `${rbac}/namespaces/${namespace}/rolebindings/${name}`;
  assert.deepEqual(await Promise.all(["shop", "more", "default"].map(binding).map(exists)), [
    true,
    true,
    false,
  ]);
  const uid = textAt(found, "metadata", "uid");
  const kept = await server.request("GET", `${secrets}/gitops-environment-${uid}`);
  const encoded = textAt(kept.json as JsonObject, "data", "token");
  const headers = { authorization: `Bearer ${Buffer.from(encoded, "base64").toString()}` };
  const maps = (namespace: string): string => `/api/v1/namespaces/${namespace}/configmaps`;
  assert.equal((await cluster.request("GET", maps("more"), undefined, headers)).status, 200);
  assert.equal((await cluster.request("GET", maps("default"), undefined, headers)).status, 403);
  await server.request("PATCH", `${environments}/account`, { spec: { namespaces: ["shop"] } });
  await waitUntil("the right to be removed", async () => !(await exists(binding("more"))));
  assert.equal(await exists(binding("shop")), true);
  const account = (namespace: string): string =>
    `/api/v1/namespaces/${namespace}/serviceaccounts/${name}`;
  await server.request("PATCH", `${environments}/account`, { spec: { namespaces: ["more"] } });
  await waitUntil("the account to move", async () => await exists(binding("more")));
  assert.equal(await exists(account("shop")), false);
  assert.equal(await exists(account("more")), true);
  await server.request("DELETE", `${environments}/account`);
  await waitUntil("the account to be deleted", async () => !(await exists(account("more"))));
  assert.equal(await exists(binding("more")), false);
});

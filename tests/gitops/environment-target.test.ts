// A managed environment as a target: objects are applied to a second Setpoint over TLS.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { httpWith } from "../../src/adapters/http/client.ts";
import { kubeWith } from "../../src/adapters/kubernetes/client.ts";
import type { Context } from "../../src/engine/reconciler.ts";
import type { JsonObject } from "../../src/kernel/json.ts";
import { textAt } from "../../src/kernel/json-read.ts";
import type { Intents } from "../../src/intents/request.ts";
import type { Resource } from "../../src/kernel/resource.ts";
import { systemTimers } from "../../src/kernel/timers.ts";
import { referenceKey, referenceOf } from "../../src/modules/gitops/object-reference.ts";
import type { ObjectReference } from "../../src/modules/gitops/object-reference.ts";
import { decidePolicy } from "../../src/modules/gitops/policy/decide-policy.ts";
import { openClient } from "../../src/modules/gitops/targets/environment-connection.ts";
import { openEnvironmentTarget } from "../../src/modules/gitops/targets/environment-target.ts";
import { openTargetClients } from "../../src/modules/gitops/targets/target-clients.ts";
import type { OpenedTarget } from "../../src/modules/gitops/targets/target.ts";
import { startKubeServer } from "../kube/server.ts";
import type { KubeServer } from "../kube/server.ts";

const uid = "11111111-1111-1111-1111-111111111111";
const labels = { "gitops.setpoint.dev/deployment": uid };
const openKube = kubeWith(httpWith(systemTimers));
let cluster: KubeServer;

before(async () => {
  cluster = await startKubeServer({ sections: { gitops: { seedGroup: true } } });
  const shop = { apiVersion: "v1", kind: "Namespace", metadata: { name: "shop" } };
  assert.equal((await cluster.request("POST", "/api/v1/namespaces", shop)).status, 201);
});
after(async () => await cluster?.[Symbol.asyncDispose]());

function resource(kind: string, name: string, more: JsonObject): Resource {
  const metadata = { name, namespace: "jane", uid: name };
  return { apiVersion: "v1", kind, metadata, ...more } as unknown as Resource;
}

/** The target of a deployment whose environment has this spec and state. */
async function opened(spec: JsonObject = {}, status = "True"): Promise<OpenedTarget> {
  const config = {
    clusters: [
      {
        name: "c",
        cluster: {
          server: cluster.url,
          "certificate-authority-data": Buffer.from(cluster.ca).toString("base64"),
        },
      },
    ],
    users: [{ name: "u", user: { token: cluster.token } }],
    contexts: [{ name: "x", context: { cluster: "c", user: "u" } }],
  };
  const kubeconfig = Buffer.from(JSON.stringify(config)).toString("base64");
  const type = "gitops.setpoint.dev/managed-environment";
  const condition = { type: "ConnectionInitializationSucceeded", status, message: "why" };
  const stored = new Map([
    ["staging-secret", resource("Secret", "staging-secret", { type, data: { kubeconfig } })],
    [
      "staging",
      resource("GitOpsDeploymentManagedEnvironment", "staging", {
        spec: { apiURL: cluster.url, credentialsSecret: "staging-secret", ...spec },
        status: { conditions: [condition], serverUID: "server-1" },
      }),
    ],
  ]);
  const signal = new AbortController().signal;
  const context = {
    references: { get: async ({ name }: { readonly name: string }) => stored.get(name) },
    outside: async <T>(_system: string, call: (at: AbortSignal) => Promise<T>) =>
      await call(signal),
  } as unknown as Context;
  const privates = { repositories: { allowPrivate: { cidrs: ["127.0.0.0/8"] } } };
  const policy = decidePolicy(
    [resource("GitOpsPolicy", "a", { spec: { namespaces: { selector: {} }, ...privates } })],
    resource("Namespace", "jane", {}),
  );
  return await openEnvironmentTarget({
    environment: "staging",
    deployment: resource("GitOpsDeployment", "shop", {
      spec: { destination: { environment: "staging", namespace: "shop" } },
    }),
    policy,
    context,
    // Only clusters that pull need it.
    intents: {} as unknown as Intents,
    clientOf: (_environment, access) =>
      openClient({ openKube, policies: { policyOf: () => policy } }, access, "jane"),
  });
}

const map = (name: string, data: JsonObject, namespace = "shop"): JsonObject => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name, namespace, labels },
  data,
});
const at = (object: JsonObject): ObjectReference =>
  referenceOf(object, textAt(object, "metadata", "namespace"));
const apply = async (on: OpenedTarget, object: JsonObject, isDryRun = false) => {
  assert.ok(on.kind === "target");
  return await on.target.apply(at(object), object, { isDryRun });
};

test("the kinds of GitOps in the other server are protected, in both groups", async () => {
  const on = await opened();
  assert.ok(on.kind === "target");
  const kind = "GitOpsDeployment";
  const found = await on.target.discover([
    { group: "gitops.setpoint.dev", version: "v1", kind },
    { group: "managed-gitops.redhat.com", version: "v1alpha1", kind },
  ]);
  assert.ok(found.kind === "kinds");
  assert.deepEqual(
    Array.from(found.scopes.values(), ({ isProtected }) => isProtected),
    [true, true],
  );
});

test("objects are applied, read, listed and deleted in the other server", async () => {
  const on = await opened();
  assert.ok(on.kind === "target");
  const { target, rules } = on;
  assert.deepEqual([target.about.kind, rules.defaultNamespace], ["Kubernetes", "shop"]);
  const object = map("settings", { a: "1" });
  const missing = { ...at(object), name: "missing" };
  assert.equal((await apply(on, object, true)).kind, "applied");
  const empty = await target.read([at(object)]);
  assert.equal(empty.kind === "objects" && empty.objects.size, 0, "a dry run stores nothing");
  assert.equal((await apply(on, object)).kind, "applied");
  const read = await target.read([at(object), missing]);
  assert.ok(read.kind === "objects");
  assert.deepEqual([...read.objects.keys()], [referenceKey(at(object))]);
  const kinds = [
    { group: "", version: "v1", kind: "ConfigMap" },
    { group: "shop.example", version: "v1", kind: "Unknown" },
  ];
  const found = await target.discover(kinds);
  assert.deepEqual(found.kind === "kinds" && [...found.scopes], [
    ["/v1/ConfigMap", { plural: "configmaps", isNamespaced: true, isProtected: false }],
  ]);
  const owned = await target.listOwned(kinds, uid);
  assert.deepEqual(owned.kind === "objects" && [...owned.objects.keys()], [
    referenceKey(at(object)),
  ]);
  const live = textAt(read.objects.get(referenceKey(at(object))), "metadata", "uid");
  const other = await target.delete(at(object), uid, "Background");
  assert.deepEqual(other, { kind: "deleted", isAbsent: true }, "of another uid");
  const left = await target.read([at(object)]);
  assert.equal(left.kind === "objects" && left.objects.size, 1);
  const gone = await target.delete(at(object), live, "Foreground");
  assert.deepEqual(gone, { kind: "deleted", isAbsent: false });
});

test("only what the environment allows is applied", async () => {
  const narrow = await opened({ namespaces: ["shop"] });
  const other = await apply(narrow, map("a", {}, "default"));
  assert.match(other.kind === "problem" ? other.message : "", /only the namespaces of spec\.name/);
  const namespace = { apiVersion: "v1", kind: "Namespace", metadata: { name: "more" } };
  const refused = await apply(narrow, namespace);
  assert.equal(refused.kind === "problem" && refused.reason, "PolicyDenied");
  const wide = await opened({ namespaces: ["shop"], clusterResources: true });
  assert.equal((await apply(wide, namespace)).kind, "applied");
});

test("problems have a reason", async () => {
  const on = await opened();
  const lost = await apply(on, map("a", {}, "missing"));
  assert.equal(lost.kind === "problem" && lost.reason, "NamespaceMissing", JSON.stringify(lost));
  const unknown = await apply(on, { ...map("a", {}), apiVersion: "shop.example/v1" });
  assert.equal(unknown.kind === "problem" && unknown.reason, "KindNotServed");
  const secret = { ...map("a", {}), kind: "Secret", data: { key: "sentinel-not-base64!" } };
  const invalid = await apply(on, secret);
  assert.equal(invalid.kind, "problem");
  assert.doesNotMatch(JSON.stringify(invalid), /sentinel/);
  const off = await opened({}, "False");
  assert.match(off.kind === "problem" ? off.message : "", /staging is not connected: why/);
});

test("a client is kept until its credential changes", () => {
  const closed: string[] = [];
  const client = (name: string): ReturnType<typeof openKube> =>
    ({ [Symbol.dispose]: () => closed.push(name) }) as unknown as ReturnType<typeof openKube>;
  const clients = openTargetClients();
  const key = { kind: "environments", namespace: "jane", name: "staging" };
  const first = clients.clientOf(key, "one", () => client("first"));
  assert.equal(
    clients.clientOf(key, "one", () => client("never")),
    first,
  );
  clients.clientOf(key, "two", () => client("second"));
  assert.deepEqual(closed, ["first"]);
  clients[Symbol.dispose]();
  assert.deepEqual(closed, ["first", "second"]);
});

// The part "why" of every resource: who may ask, what is answered, and what stays hidden. Statuses
// are written as an engine would write them, so that each case stands still while it is looked at.
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { waitUntil } from "../peers/wait.ts";
import { created } from "./samples.ts";
import { pick, pickList, pickText, startKubeServer } from "./server.ts";
import type { KubeServer, Reply, RequestHeaders } from "./server.ts";

let server: KubeServer;
const group = "why.tests.dev";

before(async () => {
  server = await startKubeServer();
  await makeNamespace("team");
  await makeDefinition("database", "Namespaced", { "setpoint.dev/reconciled": "true" });
  await makeDefinition("network", "Namespaced", { "setpoint.dev/reconciled": "true" });
  await makeDefinition("region", "Cluster", {});
});

after(async () => {
  assert.deepEqual(server.errors, []);
  await server.stop();
});

async function makeNamespace(name: string): Promise<void> {
  const namespace = { apiVersion: "v1", kind: "Namespace", metadata: { name } };
  await created(server.request("POST", "/api/v1/namespaces", namespace));
}

const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

async function makeDefinition(singular: string, scope: string, annotations: object): Promise<void> {
  const plural = `${singular}s`;
  const kind = `${singular[0]?.toUpperCase()}${singular.slice(1)}`;
  const anything = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
  const schema = {
    openAPIV3Schema: { type: "object", properties: { spec: anything, status: anything } },
  };
  const version = { name: "v1", served: true, storage: true, schema, subresources: { status: {} } };
  await created(
    server.request("POST", definitions, {
      apiVersion: "apiextensions.k8s.io/v1",
      kind: "CustomResourceDefinition",
      metadata: { name: `${plural}.${group}`, annotations },
      spec: { group, scope, names: { plural, singular, kind }, versions: [version] },
    }),
  );
}

function pathTo(plural: string, name = "", namespace = "team"): string {
  const place = plural === "regions" ? "" : `namespaces/${namespace}/`;
  return `/apis/${group}/v1/${place}${plural}${name === "" ? "" : `/${name}`}`;
}

const kinds: Readonly<Record<string, string>> = {
  databases: "Database",
  networks: "Network",
  regions: "Region",
};

async function make(
  plural: string,
  name: string,
  status: object,
  metadata: object = {},
  namespace = "team",
): Promise<Reply> {
  const document = { apiVersion: `${group}/v1`, kind: kinds[plural], spec: {} };
  const reply = await server.request("POST", pathTo(plural, "", namespace), {
    ...document,
    metadata: { name, ...metadata },
  });
  assert.equal(reply.status, 201, reply.text);
  const path = `${pathTo(plural, name, namespace)}/status`;
  const written = await server.request("PATCH", path, { status });
  assert.equal(written.status, 200, written.text);
  return written;
}

async function why(path: string, headers?: RequestHeaders): Promise<Reply> {
  return await server.request("GET", `${path}/why`, undefined, headers);
}

async function explained(path: string, headers?: RequestHeaders): Promise<unknown> {
  const { status, text, json } = await why(path, headers);
  assert.equal(status, 200, text);
  return json;
}

const lastTransitionTime = "2026-01-01T00:00:00Z";

function condition(type: string, status: string, reason: string, message = ""): object {
  return { type, status, reason, message, lastTransitionTime };
}

const ready = { conditions: [condition("Ready", "True", "Available")], observedGeneration: 1 };
const failing = {
  observedGeneration: 1,
  conditions: [condition("Synced", "False", "CreateFailed", "quota exceeded in region eu")],
  reconcile: { attempts: 4, retry: "never" },
};

function waitingFor(...others: readonly object[]): object {
  return {
    observedGeneration: 1,
    conditions: [condition("Ready", "False", "Waiting")],
    reconcile: { waitingFor: others },
  };
}

function network(name: string): object {
  return { kind: `networks.${group}`, name, condition: "Ready" };
}

/** A user of this name, with these rules in the namespace and in the cluster. */
async function makeUser(
  user: string,
  inTeam: readonly object[],
  inCluster: readonly object[] = [],
): Promise<RequestHeaders> {
  const api = "/apis/rbac.authorization.k8s.io/v1";
  const apiVersion = "rbac.authorization.k8s.io/v1";
  const subjects = [{ kind: "User", name: user, apiGroup: "rbac.authorization.k8s.io" }];
  const metadata = { name: user };
  const bind = async (kind: string, place: string, rules: readonly object[]): Promise<void> => {
    const plural = kind.toLowerCase();
    const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind, name: user };
    const role = { apiVersion, kind, metadata, rules };
    await created(server.request("POST", `${api}/${place}${plural}s`, role));
    const binding = { apiVersion, kind: `${kind}Binding`, metadata, subjects, roleRef };
    await created(server.request("POST", `${api}/${place}${plural}bindings`, binding));
  };
  await bind("Role", "namespaces/team/", inTeam);
  await bind("ClusterRole", "", inCluster);
  return { "impersonate-user": user };
}

function getting(...resources: readonly string[]): object {
  return { apiGroups: [group], resources, verbs: ["get"] };
}

/** All of this is on a server that has the store for itself, and no module. */
const unattended = "no worker is running for this kind";

describe("why", () => {
  it("answers in one sentence for what is ready", async () => {
    await make("databases", "fine", ready);
    const found = await explained(pathTo("databases", "fine"));
    assert.deepEqual(found, {
      kind: "Explanation",
      apiVersion: "setpoint.dev/v1",
      metadata: { name: "fine", namespace: "team" },
      ready: true,
      summary: `Database/fine is ready, but ${unattended}`,
      causes: [],
      resource: {
        apiVersion: `${group}/v1`,
        kind: "Database",
        namespace: "team",
        name: "fine",
        state: "Ready",
        ready: "True",
        message: `ready, but ${unattended}`,
        workers: "none",
        work: { dueInMs: pick(found, "resource.work.dueInMs") },
      },
    });
  });

  it("follows what is waited for to the root cause", async () => {
    await make("networks", "broken", failing);
    await make("databases", "orders", waitingFor(network("broken"), network("absent")));
    const found = await explained(pathTo("databases", "orders"));
    assert.equal(pick(found, "summary"), `Database/orders is not ready: ${unattended}`);
    assert.deepEqual(pick(found, "resource.details"), [
      "before that: waiting for Network/broken to be Ready and Network/absent to be Ready",
    ]);
    const causes = pickList(found, "causes").map((cause) => {
      return `${pickText(cause, "kind")}/${pickText(cause, "name")}: ${pickText(cause, "message")}`;
    });
    assert.deepEqual(causes, [
      `Database/orders: ${unattended}`,
      `Network/broken: ${unattended}`,
      "Network/absent: does not exist",
    ]);
    assert.deepEqual(pick(found, "causes.1.details"), [
      "CreateFailed: quota exceeded in region eu",
    ]);
    assert.equal(pick(found, "resource.blockers.0.relation"), "WaitsFor");
    assert.equal(pick(found, "resource.blockers.0.apiVersion"), `${group}/v1`);
  });

  it("tells that something is due and no server works on its kind", async () => {
    await make("databases", "fresh", {});
    const found = await explained(pathTo("databases", "fresh"));
    assert.equal(pick(found, "resource.state"), "Unattended");
    assert.equal(pick(found, "resource.message"), unattended);
    assert(Number(pick(found, "resource.work.dueInMs")) <= 0);
  });

  it("shows owned resources that are not ready", async () => {
    const owner = await make("databases", "owner", {
      observedGeneration: 1,
      conditions: [condition("Ready", "False", "Building")],
    });
    const uid = pickText(owner.json, "metadata.uid");
    const reference = { apiVersion: `${group}/v1`, kind: "Database", name: "owner", uid };
    await make("networks", "child-fine", ready, { ownerReferences: [reference] });
    await make("networks", "child-bad", failing, { ownerReferences: [reference] });
    await waitUntil("the child to be known", async () => {
      const found = await explained(pathTo("databases", "owner"));
      return pick(found, "resource.blockers.0.name") === "child-bad";
    });
    const found = await explained(pathTo("databases", "owner"));
    assert.equal(pickList(found, "resource.blockers").length, 1);
    assert.equal(pick(found, "resource.blockers.0.relation"), "Owns");
  });

  it("works for kinds without a reconciler, in the cluster and in namespaces", async () => {
    await make("regions", "eu", {});
    const region = await explained(pathTo("regions", "eu"));
    assert.equal(pick(region, "summary"), "Region/eu is not ready: no reconciler handles its kind");
    assert.equal(pick(region, "resource.ready"), "Unknown");
    const account = await explained("/api/v1/namespaces/team/serviceaccounts/default");
    assert.equal(pick(account, "ready"), true);
    const definition = await explained(`${definitions}/databases.${group}`);
    assert.equal(
      pick(definition, "summary"),
      `CustomResourceDefinition/databases.${group} is ready`,
    );
  });

  it("is JSON or YAML, and indented for people", async () => {
    const yaml = await why(pathTo("databases", "fine"), { accept: "application/yaml" });
    assert.match(yaml.text, /^apiVersion: setpoint\.dev\/v1$/m);
    const curl = await why(pathTo("databases", "fine"), { "user-agent": "curl/8" });
    assert.match(curl.text, /\n {2}"summary"/);
  });

  it("can only be asked, of what is there", async () => {
    const absent = await why(pathTo("databases", "none"));
    assert.equal(absent.status, 404);
    assert.equal(pick(absent.json, "message"), `databases.${group} "none" not found`);
    for (const method of ["PUT", "POST", "PATCH", "DELETE"]) {
      const { status } = await server.request(method, `${pathTo("databases", "fine")}/why`, {});
      assert.equal(status, 405, method);
    }
    for (const path of [
      `/apis/${group}/v1/databases/fine`,
      "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews/x",
      `${pathTo("databases", "fine")}/why`,
    ]) {
      assert.equal((await why(path)).status, 404, path);
    }
  });

  it("is no name for discovery", async () => {
    const { text } = await server.request("GET", `/apis/${group}/v1`);
    assert(!text.includes("/why"), "kubectl is told nothing that it does not know");
  });
});

describe("a deletion that hangs", () => {
  const isHeld = (cause: unknown): boolean => {
    const reason = /held by the finalizer example\.com\/backup, which its owner must remove$/;
    return pick(cause, "name") === "stuck" && reason.test(pickText(cause, "message"));
  };

  it("names the finalizers and what holds a namespace", async () => {
    await makeNamespace("leaving");
    const finalizers = ["example.com/backup"];
    await make("databases", "stuck", ready, { finalizers }, "leaving");
    await server.request("DELETE", "/api/v1/namespaces/leaving");
    await waitUntil("the namespace to tell what is left", async () => {
      const found = await explained("/api/v1/namespaces/leaving");
      return pickList(found, "causes").some(isHeld);
    });
    const found = await explained("/api/v1/namespaces/leaving");
    assert.match(
      pickText(found, "summary"),
      /^Namespace\/leaving is being deleted.*: its content is being deleted first$/,
    );
    assert(pickList(found, "causes").some(isHeld));
    const inside = await explained(pathTo("databases", "stuck", "leaving"));
    assert.match(pickText(inside, "summary"), /^Database\/stuck is being deleted/);
    const free = { metadata: { finalizers: null } };
    await server.request("PATCH", pathTo("databases", "stuck", "leaving"), free);
    await waitUntil("the namespace to be gone", async () => {
      return (await why("/api/v1/namespaces/leaving")).status === 404;
    });
  });

  it("in the foreground shows what is protected", async () => {
    const owner = await make("databases", "last", ready);
    const uid = pickText(owner.json, "metadata.uid");
    const reference = { apiVersion: `${group}/v1`, kind: "Database", name: "last", uid };
    await make("networks", "kept", ready, {
      ownerReferences: [{ ...reference, blockOwnerDeletion: true }],
      annotations: { "setpoint.dev/deletion-protection": "true" },
    });
    const query = "?propagationPolicy=Foreground";
    await server.request("DELETE", `${pathTo("databases", "last")}${query}`);
    await waitUntil("the dependent to be known", async () => {
      const found = await explained(pathTo("databases", "last"));
      return pick(found, "causes.0.name") === "kept";
    });
    const found = await explained(pathTo("databases", "last"));
    assert.match(pickText(found, "summary"), /waiting until its dependents are deleted/);
    assert.match(pickText(found, "causes.0.message"), /^protected by the annotation/);
  });
});

describe("who may ask", () => {
  it("needs to get PLURAL/why and the resource itself", async () => {
    const asked = pathTo("databases", "fine");
    const plain = await makeUser("plain", [getting("databases")]);
    const without = await why(asked, plain);
    assert.equal(without.status, 403);
    assert.match(pickText(without.json, "message"), /cannot get resource "databases\/why" in API/);
    const blind = await makeUser("blind", [getting("databases/why")]);
    const unread = await why(asked, blind);
    assert.equal(unread.status, 403);
    assert.match(pickText(unread.json, "message"), /cannot get resource "databases" in API group/);
    const both = await makeUser("both", [getting("databases", "*/why")]);
    assert.equal((await why(asked, both)).status, 200);
    assert.equal((await why(pathTo("networks", "broken"), both)).status, 403);
  });

  it("sees only what it may get", async () => {
    const tenant = await makeUser("tenant", [getting("databases", "databases/why")]);
    const orders = await explained(pathTo("databases", "orders"), tenant);
    const blockers = pickList(orders, "resource.blockers");
    assert.deepEqual(
      blockers.map((blocker) => [pick(blocker, "state"), pick(blocker, "message")]),
      [
        ["NotVisible", "not visible to you"],
        ["NotVisible", "not visible to you"],
      ],
    );
    assert(!JSON.stringify(orders).includes("quota exceeded"));
    const owner = JSON.stringify(await explained(pathTo("databases", "owner"), tenant));
    assert(!owner.includes("child"), owner);
    assert.match(owner, /some resources that it owns are not visible to you/);
  });
});

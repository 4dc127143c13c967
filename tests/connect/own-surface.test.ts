// Setpoint manages Setpoint: one server keeps clusters in another through the resource-provider
// surface that the other offers to everybody, with operations that go on after the answer, ETags,
// a PATCH of parts, and errors as Azure has them.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { after, afterEach, before, describe, it } from "node:test";
import type { JsonObject } from "../../src/kernel/json.ts";
import { root } from "../../tools/stages.ts";
import { pick, startKubeServer } from "../kube/server.ts";
import type { KubeServer } from "../kube/server.ts";
import { startFaultProxy } from "../peers/fault-proxy.ts";
import type { FaultProxy, Seen } from "../peers/fault-proxy.ts";
import { startSetpoint } from "../peers/setpoint.ts";
import type { Setpoint } from "../peers/setpoint.ts";
import { waitUntil } from "../peers/wait.ts";
import { apiVersion, definition, restKind } from "./powerdns-kinds.ts";
import { condition } from "../peers/resources.ts";
import { applyDocument, bodiesOf, Resources } from "./rig.ts";

const subscription = "11111111-2222-3333-4444-555555555555";
const path =
  "/subscriptions/{subscriptionId}/resourceGroups/{resourceGroupName}" +
  "/providers/Example.OpenShift/clusters";
const version = { "api-version": "2026-01-01" };

let other: KubeServer;
let proxy: FaultProxy;
let server: Setpoint;
const clusters = new Resources(() => server, { apiVersion, kind: "Cluster" });
const text = { type: "string" };

const clusterKind = definition("Cluster", {
  type: "object",
  required: ["location"],
  properties: {
    location: { ...text, "x-setpoint-field-rule": "create-only" },
    tags: { type: "object", additionalProperties: text },
    properties: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
  },
});

const clusterBinding = restKind("clusters", {
  connection: "other",
  item: `${path}/{clusterName}`,
  collection: path,
  identity: { kind: "client", parameter: "clusterName" },
  parameters: { subscriptionId: { value: subscription }, resourceGroupName: { given: true } },
  operations: {
    read: { method: "GET", query: version },
    list: {
      method: "GET",
      query: version,
      items: "/value",
      paging: { kind: "link", next: "/nextLink" },
    },
    create: { method: "PUT", query: version },
    replace: { method: "PUT", query: version },
    patch: { method: "PATCH", query: version, style: "merge", takes: ["properties"] },
    delete: { method: "DELETE", query: version },
  },
  fields: [
    ...["id", "name", "type", "etag", "systemData"].map((name) => ({
      path: `/${name}`,
      class: "read-only",
      from: "annotation",
    })),
    { path: "/location", class: "create-only", from: "annotation" },
    { path: "/properties/provisioningState", class: "read-only", from: "annotation" },
    {
      path: "/properties/servicePrincipalProfile/clientSecret",
      class: "write-only",
      isSecret: true,
      from: "annotation",
    },
  ],
  ready: "observed.properties.provisioningState == 'Succeeded'",
  resyncSeconds: 3_600,
});

before(async () => {
  const module = [join(root, "examples/openshift-like/openshift-like.ts")];
  other = await startKubeServer({ module, sections: { arm: { retryAfter: 1 } } });
  await other.request("PUT", `/subscriptions/${subscription}?api-version=2.0`, {
    state: "Registered",
  });
  const pem = await readFile(join(dirname(other.kubeconfig), "server.pem"), "utf8");
  proxy = await startFaultProxy({ target: () => other.url, tls: { pem, ca: other.ca } });
  server = await startSetpoint();
  for (const document of [...connection(), clusterKind, clusterBinding]) {
    await applyDocument(server, document);
  }
});
afterEach(() => proxy.clear());
after(async () => {
  await server?.[Symbol.asyncDispose]();
  await proxy?.[Symbol.asyncDispose]();
  await other?.stop();
  assert.deepEqual(other?.errors, []);
});

function connection(): readonly JsonObject[] {
  return [
    {
      apiVersion: "v1",
      kind: "Secret",
      metadata: { name: "other", namespace: "default" },
      stringData: { token: other.token, password: "not a real one" },
    },
    {
      apiVersion: "connect.setpoint.dev/v1",
      kind: "Connection",
      metadata: { name: "other" },
      spec: {
        baseUrl: proxy.url,
        secretNamespace: "default",
        auth: { kind: "bearer", secret: "other" },
        tls: { ca: other.ca },
        breaker: { failures: 1_000 },
      },
    },
  ];
}

const management = {
  parameters: { resourceGroupName: "shop" },
  secrets: [
    {
      field: "/properties/servicePrincipalProfile/clientSecret",
      secret: "other",
      key: "password",
    },
  ],
};
const cluster = (name: string, more: JsonObject = {}): JsonObject => ({
  location: "westeurope",
  properties: {
    domain: `${name}.example.com`,
    servicePrincipalProfile: { clientId: "installer" },
    ...more,
  },
});
const live = async (name: string): Promise<unknown> => {
  const at = path.replace("{subscriptionId}", subscription).replace("{resourceGroupName}", "shop");
  const reply = await other.request("GET", `${at}/${name}?api-version=2026-01-01`);
  return reply.status === 404 ? undefined : reply.json;
};
const writes = (name: string): readonly Seen[] => proxy.writes({ path: `/clusters/${name}` });

describe("a cluster in another Setpoint", () => {
  it("is made by an operation that is followed to its end, and is not written again", async () => {
    await clusters.create("one", cluster("one"), management);
    const one = await clusters.ready("one");
    const properties = one.status?.observed?.["properties"] as JsonObject;
    assert.equal(properties["provisioningState"], "Succeeded");
    assert.deepEqual(
      writes("one").map(({ method, status }) => `${method} ${status}`),
      ["PUT 201"],
    );
    for (let round = 0; round < 3; round++) await clusters.reconcile("one");
    assert.equal(writes("one").length, 1);
    assert.equal(JSON.stringify(await clusters.get("one")).includes("not a real one"), false);
  });

  it("is changed by PATCH with only what changed, and by PUT where PATCH does not do", async () => {
    await clusters.patch("one", { spec: { properties: { workerCount: 5 } } });
    await clusters.ready("one");
    assert.equal(pick(await live("one"), "properties.workerCount"), 5);
    const patch = writes("one").at(-1);
    assert.equal(patch?.method, "PATCH");
    assert.deepEqual(bodiesOf(patch === undefined ? [] : [patch]), [
      { properties: { workerCount: 5 } },
    ]);
    await clusters.patch("one", { spec: { tags: { team: "shop" } } });
    await clusters.ready("one");
    assert.equal(writes("one").at(-1)?.method, "PUT");
    assert.equal(pick(await live("one"), "tags.team"), "shop");
    assert.equal(pick(await live("one"), "properties.workerCount"), 5);
  });

  it("that somebody changed there is put right", async () => {
    const at = path
      .replace("{subscriptionId}", subscription)
      .replace("{resourceGroupName}", "shop");
    const changed = await other.request(
      "PATCH",
      `${at}/one?api-version=2026-01-01`,
      { properties: { workerCount: 9 } },
      { "content-type": "application/json" },
    );
    assert.equal(changed.status, 202, changed.text);
    // Refused for as long as the change of the other is carried out.
    await waitUntil(
      "the count that is wanted",
      async () => {
        await clusters.reconcile("one");
        return pick(await live("one"), "properties.workerCount") === 5;
      },
      { limitMs: 120_000 },
    );
    await clusters.until("one", "seen", ({ status }) => {
      return pick(status?.observed, "properties.workerCount") === 5;
    });
    await clusters.ready("one");
  });

  it("is made once though the server is killed while the operation runs", async () => {
    const asked = proxy.on({ path: /operationsStatus/ }, { kind: "hold" });
    await clusters.create("two", cluster("two"), management);
    await asked.hit();
    await server.kill9();
    asked.release();
    await server.start();
    await clusters.ready("two");
    assert.deepEqual(
      writes("two").map(({ method, status }) => `${method} ${status}`),
      ["PUT 201"],
    );
  });

  it("that is refused tells every problem, and that fails tells why", async () => {
    await clusters.create("three", cluster("three", { workerCount: 1 }), management);
    const refused = await clusters.until("three", "refused", (one) => {
      return condition(one, "Synced")?.status === "False";
    });
    assert.match(condition(refused, "Synced")?.message ?? "", /workerCount/);
    await clusters.delete("three");
    await clusters.gone("three");

    const failing = cluster("four", { simulation: { failAt: "DeployResources" } });
    await clusters.create("four", failing, management);
    const failed = await clusters.until("four", "failed", (one) => {
      return condition(one, "Synced")?.message.includes("DeployResources") === true;
    });
    assert.notEqual(condition(failed, "Ready")?.status, "True");
  });

  it("is removed by an operation that is followed to its end", async () => {
    await clusters.delete("one");
    await clusters.gone("one");
    assert.equal(await live("one"), undefined);
    assert.deepEqual(
      writes("one")
        .filter(({ method }) => method === "DELETE")
        .map(({ status }) => status),
      [202],
    );
  });
});

// Search over texts and over the graph against a real server on each store.
import assert from "node:assert/strict";
import { before, it } from "node:test";
import { pick, pickList, pickText } from "../kube/server.ts";
import type { Reply } from "../kube/server.ts";
import { onEachStore } from "../kube/stores.ts";
import { as } from "../rest/databases.ts";

const secret = "sentinel-0815-must-not-be-found";
const group = "/apis/environments.setpoint.dev/v1";

onEachStore("search", (server) => {
  let revision = 0;

  const get = (path: string, user?: string): Promise<Reply> =>
    server().request("GET", `/api/v1/${path}`, undefined, user === undefined ? {} : as(user));
  const make = async (namespace: string, plural: string, name: string, spec: unknown) => {
    const path = `${group}/namespaces/${namespace}/${plural}`;
    const kinds: Readonly<Record<string, string>> = {
      templates: "Template",
      environments: "Environment",
      externalresources: "ExternalResource",
      resourcegroups: "ResourceGroup",
    };
    const document = { apiVersion: "environments.setpoint.dev/v1", kind: kinds[plural], spec };
    const reply = await server().request("POST", path, { ...document, metadata: { name } });
    assert.equal(reply.status, 201, reply.text);
    revision = Number(pick(reply.json, "metadata.resourceVersion"));
  };
  const found = async (query: string, user?: string): Promise<readonly string[]> => {
    const reply = await get(`search?${query}&minRevision=${revision}`, user);
    assert.equal(reply.status, 200, reply.text);
    return pickList(reply.json, "items").map(
      (item) => `${pickText(item, "type")}/${pickText(item, "namespace")}/${pickText(item, "id")}`,
    );
  };

  before(async () => {
    for (const name of ["blue", "green"]) {
      const namespace = { metadata: { name } };
      await server().request("POST", "/api/v1/namespaces", namespace);
      const bindings = `/apis/rbac.authorization.k8s.io/v1/namespaces/${name}/rolebindings`;
      await server().request("POST", bindings, {
        metadata: { name: "readers" },
        subjects: [{ kind: "User", name: `${name}-reader`, apiGroup: "rbac.authorization.k8s.io" }],
        roleRef: { kind: "ClusterRole", name: "view", apiGroup: "rbac.authorization.k8s.io" },
      });
      await make(name, "templates", "shop.v1", {
        id: "shop",
        version: 1,
        name: "Warehouse",
        description: "Everything for the Lagerübersicht",
        parameters: { token: { type: "string", secret: true } },
        resources: [
          {
            key: "db",
            template: { apiVersion: "v1", kind: "ConfigMap", data: {} },
            readyWhen: "true",
          },
        ],
      });
      await make(name, "externalresources", "ledger", {
        name: "General ledger",
        tags: { owner: "accounting" },
      });
    }
    await make("blue", "environments", "preview", {
      displayName: "Preview of billing",
      templates: ["shop.v1"],
      secretParameters: { token: secret },
    });
  });

  it("finds names, descriptions and tags, by words and parts of words", async () => {
    assert.deepEqual(await found("q=warehouse"), [
      "templates/blue/shop.v1",
      "templates/green/shop.v1",
    ]);
    assert.deepEqual(await found("q=lagerubersicht&namespace=blue"), ["templates/blue/shop.v1"]);
    assert.deepEqual(await found("q=ACCOUNT&namespace=green"), ["external-resources/green/ledger"]);
    assert.deepEqual(await found("q=illin"), ["environments/blue/preview"]);
    assert.deepEqual(await found("q=shop&type=environments"), ["environments/blue/preview"]);
  });

  it("does not find secrets", async () => {
    assert.deepEqual(await found("q=sentinel"), []);
    assert.deepEqual(await found("q=0815"), []);
  });

  it("shows a caller only what the caller may list", async () => {
    assert.deepEqual(await found("q=warehouse", "green-reader"), ["templates/green/shop.v1"]);
    assert.deepEqual(await found("q=billing", "green-reader"), []);
    assert.deepEqual(await found("q=warehouse", "stranger"), []);
    const graph = "search/graph/environments/preview?namespace=blue";
    assert.equal((await get(graph, "green-reader")).status, 404);
    assert.equal((await get(graph, "blue-reader")).status, 200);
  });

  it("follows changes and deletions", async () => {
    await make("blue", "externalresources", "queue", { name: "Dispatcher" });
    assert.deepEqual(await found("q=dispatcher"), ["external-resources/blue/queue"]);
    const path = `${group}/namespaces/blue/externalresources/queue`;
    const changed = await server().request("PATCH", path, { spec: { name: "Router" } });
    revision = Number(pick(changed.json, "metadata.resourceVersion"));
    assert.deepEqual(await found("q=dispatcher"), []);
    await server().request("DELETE", path);
    revision = (await server().store.head()).revision;
    assert.deepEqual(await found("q=router"), []);
  });

  it("waits a bounded time for a revision that does not exist", async () => {
    const reply = await get("search?q=shop&minRevision=999999999");
    assert.equal(reply.status, 504, reply.text);
    assert.match(reply.text, /query\.minRevision/);
  });

  it("finds paths and neighbours in the graph", async () => {
    await make("blue", "resourcegroups", "first", { id: "first", name: "First" });
    await make("blue", "resourcegroups", "second", { id: "second", dependsOn: ["first"] });
    await make("blue", "resourcegroups", "third", { id: "third", dependsOn: ["second"] });
    const nodes = async (query: string): Promise<readonly string[]> => {
      const reply = await get(`search/graph/resource-groups/${query}&minRevision=${revision}`);
      assert.equal(reply.status, 200, reply.text);
      return pickList(reply.json, "nodes").map((node) => pickText(node, "id"));
    };
    const dependants = "first?namespace=blue&direction=dependants";
    assert.deepEqual(await nodes(dependants), ["first", "second", "third"]);
    assert.deepEqual(await nodes(`${dependants}&depth=1`), ["first", "second"]);
    const path = await get(
      `search/path?from=resource-groups/blue/third&to=resource-groups/blue/first`,
    );
    const ids = pickList(path.json, "path").map((node) => pickText(node, "id"));
    assert.deepEqual(ids, ["third", "second", "first"]);
    const none = await get(
      "search/path?from=resource-groups/blue/first&to=resource-groups/blue/third",
    );
    assert.equal(pick(none.json, "path"), undefined);
    const bad = await get("search/path?from=first&to=third");
    assert.equal(bad.status, 400);
    assert.match(bad.text, /TYPE\/NAMESPACE\/ID/);
  });
});

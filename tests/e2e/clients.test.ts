// Clients that cannot be run here, by the requests that they are known to make: continuous delivery
// tools that mirror a whole cluster, and infrastructure tools that plan by dry runs.
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { startSetpoint } from "../peers/setpoint.ts";
import type { Answer, OpenWatch, Setpoint } from "../peers/setpoint.ts";
import { waitUntil } from "../peers/wait.ts";
import { apiVersion, configMap, group, post, widget, widgets } from "./contract/scene.ts";

interface Discovered {
  readonly resource: string;
  readonly scope: string;
  readonly verbs: readonly string[];
}

interface DiscoveryList {
  readonly kind: string;
  readonly items: readonly {
    readonly metadata: { readonly name?: string };
    readonly versions: readonly {
      readonly version: string;
      readonly resources: readonly Discovered[];
    }[];
  }[];
}

interface ListPage {
  readonly metadata: { readonly resourceVersion: string; readonly continue?: string };
  readonly items: readonly { readonly metadata: { readonly name: string } }[];
}

let server: Setpoint;

before(async () => {
  server = await startSetpoint();
  await post(server, "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", widgets);
});

after(async () => await server[Symbol.asyncDispose]());

function parse({ status, body }: Answer): unknown {
  assert.ok(status === 200 || status === 201, `${status} ${body.toString()}`);
  return JSON.parse(body.toString());
}

describe("a tool that mirrors the cluster", () => {
  const aggregated = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";

  it("reads the version and discovers every kind in two requests", async () => {
    const version = parse(await server.ask("/version")) as { major: string };
    assert.equal(version.major, "1");
    const paths = await watchablePaths();
    for (const path of ["/api/v1/configmaps", "/api/v1/secrets", `/apis/${apiVersion}/widgets`]) {
      assert.ok(paths.includes(path), path);
    }
  });

  it("reads all schemas as protobuf, in both spellings of the type", async () => {
    for (const spelling of ["@", "."]) {
      const accept = `application/com.github.proto-openapi.spec.v2${spelling}v1.0+protobuf`;
      const { status, body } = await server.ask("/openapi/v2", { headers: { accept } });
      assert.equal(status, 200);
      assert.deepEqual([...body.subarray(0, 5)], [0x0a, 3, 0x32, 0x2e, 0x30], 'swagger is "2.0"');
      assert.ok(body.includes("dev.example.e2e.v1.Widget"));
      assert.ok(body.includes("io.k8s.api.core.v1.ConfigMap"));
    }
  });

  it("asks again only for what has changed", async () => {
    for (const path of ["/api", "/apis", "/openapi/v2"]) {
      const accept = path === "/openapi/v2" ? "application/json" : aggregated;
      const { headers } = await server.ask(path, { headers: { accept } });
      const etag = String(headers["etag"]);
      assert.match(etag, /^"/, path);
      const again = await server.ask(path, { headers: { accept, "if-none-match": etag } });
      assert.equal(again.status, 304, path);
    }
  });

  it("lists every kind in pages and watches each from where its list ended", async () => {
    const names = Array.from({ length: 1_100 }, (_, n) => `page-${n}`);
    const lanes = Array.from({ length: 16 }, async () => {
      for (let name = names.pop(); name !== undefined; name = names.pop()) {
        await post(server, "/api/v1/namespaces/default/configmaps", configMap(name));
      }
    });
    await Promise.all(lanes);
    using watches = new DisposableStack();
    const open = new Map<string, OpenWatch>();
    for (const path of await watchablePaths()) {
      const { items, version, pages } = await listAll(path);
      if (path === "/api/v1/configmaps") assert.equal(pages, 3, `${items.length} in ${pages}`);
      const query = `watch=true&resourceVersion=${version}&allowWatchBookmarks=true`;
      open.set(path, watches.use(await server.watch(`${path}?${query}`)));
    }
    assert.ok(open.size >= 15, `${open.size} kinds`);
    await post(server, `/apis/${apiVersion}/namespaces/default/widgets`, widget("mirrored"));
    await post(server, "/api/v1/namespaces/default/configmaps", configMap("mirrored"));
    for (const path of ["/api/v1/configmaps", `/apis/${apiVersion}/widgets`]) {
      const events = open.get(path)?.events ?? [];
      await waitUntil(`an event of ${path}`, () => events.length > 0);
      const [first] = events;
      assert.deepEqual([first?.type, first?.object.metadata.name], ["ADDED", "mirrored"]);
    }
  });

  async function watchablePaths(): Promise<readonly string[]> {
    const found: string[] = [];
    for (const root of ["/api", "/apis"]) {
      const answer = await server.ask(root, { headers: { accept: aggregated } });
      assert.equal(answer.headers["content-type"], aggregated);
      const list = parse(answer) as DiscoveryList;
      assert.equal(list.kind, "APIGroupDiscoveryList");
      for (const { metadata, versions } of list.items) {
        const [preferred] = versions;
        const prefix = [root, metadata.name ?? "", preferred?.version].filter(
          (part) => part !== "",
        );
        for (const { resource, verbs } of preferred?.resources ?? []) {
          if (verbs.includes("list") && verbs.includes("watch")) {
            found.push([...prefix, resource].join("/"));
          }
        }
      }
    }
    return found;
  }

  async function listAll(
    path: string,
  ): Promise<{ items: readonly unknown[]; version: string; pages: number }> {
    const items: unknown[] = [];
    let next = "";
    let pages = 0;
    for (;;) {
      const from = next === "" ? "" : `&continue=${encodeURIComponent(next)}`;
      const page = parse(await server.ask(`${path}?limit=500${from}`)) as ListPage;
      items.push(...page.items);
      pages++;
      next = page.metadata.continue ?? "";
      assert.match(page.metadata.resourceVersion, /^\d+$/, path);
      if (next === "") return { items, version: page.metadata.resourceVersion, pages };
    }
  }
});

describe("a tool that plans by dry runs", () => {
  const path = `/apis/${apiVersion}/namespaces/default/widgets/planned`;
  const apply = async (query: string, spec: object): Promise<Answer> =>
    await server.ask(`${path}?fieldManager=Terraform&force=false&fieldValidation=Strict${query}`, {
      method: "PATCH",
      headers: { "content-type": "application/apply-patch+yaml" },
      body: widget("planned", spec),
    });

  it("finds the type of a defined kind in the schemas", async () => {
    assert.equal((await server.ask("/apis")).status, 200);
    const { definitions } = parse(await server.ask("/openapi/v2")) as {
      definitions: Record<string, Record<string, unknown>>;
    };
    const wanted = JSON.stringify([{ group, kind: "Widget", version: "v1" }]);
    const found = Object.values(definitions).filter(
      (each) => JSON.stringify(each["x-kubernetes-group-version-kind"]) === wanted,
    );
    assert.equal(found.length, 1);
    const properties = found[0]?.["properties"] as Record<string, { properties: object }>;
    assert.deepEqual(Object.keys(properties["spec"]?.properties ?? {}).sort(), [
      "color",
      "ports",
      "replicas",
      "size",
    ]);
    const { body } = await server.ask(
      `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${widgets.metadata.name}`,
    );
    assert.match(body.toString(), /"openAPIV3Schema"/);
  });

  it("sees defaults in a plan, stores nothing, then applies the same", async () => {
    interface Planned {
      readonly spec: object;
      readonly metadata: { readonly resourceVersion?: string };
    }
    const planned = parse(await apply("&dryRun=All", { size: 4 })) as Planned;
    assert.deepEqual(planned.spec, { size: 4, color: "red", replicas: 1 });
    assert.equal((await server.ask(path)).status, 404);
    const applied = await apply("", { size: 4 });
    assert.equal(applied.status, 201);
    const stored = parse(applied) as Planned;
    assert.deepEqual(stored.spec, planned.spec);
    const again = parse(await apply("&dryRun=All", { size: 4 })) as Planned;
    assert.equal(again.metadata.resourceVersion, stored.metadata.resourceVersion);
    const changed = parse(await apply("&dryRun=All", { size: 5, color: "blue" })) as Planned;
    assert.deepEqual(changed.spec, { size: 5, color: "blue", replicas: 1 });
    assert.deepEqual((parse(await server.ask(path)) as Planned).spec, stored.spec);
    assert.equal((await server.ask(path, { method: "DELETE" })).status, 200);
  });

  it("is told what is wrong with a plan", async () => {
    const invalid = await apply("&dryRun=All", { size: 0 });
    assert.equal(invalid.status, 422);
    assert.match(invalid.body.toString(), /spec\.size/);
  });
});

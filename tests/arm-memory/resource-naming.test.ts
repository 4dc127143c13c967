// Resources by their ids of the Resource Manager, over a server that is made up.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { ApiClient } from "../../src/cli/client/api-client.ts";
import { findResource } from "../../src/cli/client/resource-argument.ts";
import { SetpointError } from "../../src/kernel/errors.ts";
import type { Json } from "../../src/kernel/json.ts";
import { armSurface } from "../../src/surfaces/arm/surface.ts";

const id = "/subscriptions/AB-1/resourceGroups/Bread/providers/Example.Bakery/ovens/One";

function resource(plural: string, scope = "Namespaced"): Json {
  return { resource: plural, responseKind: { kind: plural }, scope, verbs: ["get", "list"] };
}

function group(name: string, ...resources: Json[]): Json {
  return { metadata: { name }, versions: [{ version: "v1", resources }] };
}

function stored(name: string, envelope: string): Json {
  const annotations = { "arm.setpoint.dev/envelope": envelope };
  return { metadata: { name, namespace: "sub-ab-1", annotations } };
}

const discovery: Readonly<Record<string, Json>> = {
  "/api": { items: [group("", resource("secrets"))] },
  "/apis": {
    items: [
      group("apps", resource("deployments")),
      group("batch.k8s.io", resource("jobs")),
      group("arm.setpoint.dev", resource("operations")),
      group("bakery.dev", resource("closed"), resource("wide", "Cluster"), resource("ovens")),
      group("other.dev", resource("things")),
    ],
  },
};

/** Holds resources by the path of their list; all else is empty, except for what is forbidden. */
function clientWith(lists: Readonly<Record<string, Json>>, asked: string[] = []): ApiClient {
  return {
    namespace: "default",
    get: async (path) => {
      const known = discovery[path];
      if (known !== undefined) return known;
      asked.push(path.replace(/\?.*/, ""));
      assert.match(path, /\?labelSelector=arm\.setpoint\.dev%2Fresource-group%3D[0-9a-f]{20}$/);
      if (path.includes("/closed?")) throw new SetpointError("request.forbidden", "no");
      return { items: lists[path.replace(/\?.*/, "")] ?? [] };
    },
    patch: () => Promise.reject(new Error("nothing is written")),
    post: () => Promise.reject(new Error("nothing is written")),
    delete: () => Promise.reject(new Error("nothing is deleted")),
    lines: () => {
      throw new Error("nothing is streamed");
    },
  };
}

const ovens = "/apis/bakery.dev/v1/namespaces/sub-ab-1/ovens";
const things = "/apis/other.dev/v1/namespaces/sub-ab-1/things";

test("is found in any case, under whatever name and kind it has", async () => {
  const envelope = JSON.stringify({ id: id.toUpperCase(), name: "One" });
  const others = [
    stored("rubbish", "{"),
    stored("two", JSON.stringify({ id: `${id}2`, name: "2" })),
  ];
  for (const list of [ovens, things]) {
    const asked: string[] = [];
    const client = clientWith({ [list]: [...others, stored("one-77", envelope)] }, asked);
    const found = await findResource(client, [id], "given");
    assert.equal(found.path, `${list}/one-77`);
    assert.equal(found.namespace, "sub-ab-1");
    assert.equal(asked[0], ovens, "the kind that is called like the type is asked first");
  }
});

test("is not looked for among kinds that have no faces", async () => {
  const asked: string[] = [];
  const message = `${id} not found in the namespace sub-ab-1`;
  await assert.rejects(findResource(clientWith({}, asked), [id], undefined), {
    code: "resource.not_found",
    message,
  });
  assert.deepEqual(asked, [ovens, ovens.replace("ovens", "closed"), things]);
});

test("what is not the id of a resource is told from what is none at all", async () => {
  const client = clientWith({});
  assert.equal(armSurface.resourceNaming?.matches("ovens/one"), false);
  for (const text of [
    "/subscriptions/AB-1",
    id.slice(0, -4),
    "/providers/Example.Bakery/operations",
  ]) {
    await assert.rejects(findResource(client, [text], undefined), {
      code: "config.invalid",
      message: `${text} is not the id of a resource`,
    });
  }
});

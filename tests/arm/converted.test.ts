// A kind from a definition whose versions a webhook converts, offered by an ArmFace: what is stored
// in one version is shown and changed in each, also after the storage version has changed. Faces
// come, change and go while requests are made.
import assert from "node:assert/strict";
import { it } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { pick, pickList, pickText } from "../kube/server.ts";
import { startWebhookServer } from "../kube/webhook-server.ts";
import type { WebhookServer } from "../kube/webhook-server.ts";
import { waitUntil } from "../peers/wait.ts";
import { codeOf, onEachStore, subscription } from "./arm-server.ts";
import type { ArmServer } from "./arm-server.ts";
import { patience } from "./pantry.ts";

const things = `/subscriptions/${subscription}/resourceGroups/Rooms/providers/Example.Rooms/things`;
const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const faces = "/apis/arm.setpoint.dev/v1/armfaces";

interface Thing {
  readonly spec?: { readonly size?: number; readonly width?: number };
}

/** What v1 calls size, v2 calls width. */
function converted(object: unknown, apiVersion: string): object {
  const { spec = {} } = object as Thing;
  const size = spec.size ?? spec.width;
  const name = apiVersion.endsWith("v1") ? "size" : "width";
  return { ...(object as object), apiVersion, spec: size === undefined ? {} : { [name]: size } };
}

function answer(hooks: WebhookServer): void {
  hooks.on("/convert", (review) => {
    const wanted = String(pick(review, "request.desiredAPIVersion"));
    const objects = pickList(review, "request.objects").map((one) => converted(one, wanted));
    return JSON.stringify({
      apiVersion: "apiextensions.k8s.io/v1",
      kind: "ConversionReview",
      response: {
        uid: pick(review, "request.uid"),
        result: { status: "Success" },
        convertedObjects: objects,
      },
    });
  });
}

function definition(hooks: WebhookServer, storage: "v1" | "v2"): object {
  const version = (name: string, field: string): object => ({
    name,
    served: true,
    storage: name === storage,
    schema: {
      openAPIV3Schema: {
        type: "object",
        properties: { spec: { type: "object", properties: { [field]: { type: "integer" } } } },
      },
    },
  });
  const clientConfig = { url: hooks.url("/convert"), caBundle: hooks.caBundle };
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "things.rooms.dev" },
    spec: {
      group: "rooms.dev",
      names: { kind: "Thing", plural: "things" },
      scope: "Namespaced",
      versions: [version("v1", "size"), version("v2", "width")],
      conversion: {
        strategy: "Webhook",
        webhook: { clientConfig, conversionReviewVersions: ["v1"] },
      },
    },
  };
}

function face(...versions: readonly (readonly [string, string])[]): object {
  return {
    apiVersion: "arm.setpoint.dev/v1",
    kind: "ArmFace",
    metadata: { name: "things" },
    spec: {
      provider: "Example.Rooms",
      type: "things",
      kind: "things.rooms.dev",
      locations: ["West Europe"],
      versions: versions.map(([apiVersion, version]) => ({ apiVersion, version })),
    },
  };
}

const [first, second] = [
  ["2026-01-01", "v1"],
  ["2026-02-01", "v2"],
] as const;

function at(name: string, apiVersion: string): string {
  return `${things}/${name}?api-version=${apiVersion}`;
}

async function properties(server: ArmServer, name: string, apiVersion: string): Promise<unknown> {
  const { json } = await server.request("GET", at(name, apiVersion));
  return pick(json, "properties");
}

onEachStore("an ArmFace of a kind that a webhook converts", (started) => {
  it("shows what is stored in any version, and serves while it changes", async () => {
    const server = started();
    await using hooks = await startWebhookServer();
    answer(hooks);
    const defined = await server.request("POST", definitions, definition(hooks, "v1"));
    assert.equal(defined.status, 201, defined.text);
    const made = await server.request("POST", faces, face(first, second));
    assert.equal(made.status, 201, made.text);
    const state = { provisioningState: "Succeeded" };
    const put = async (name: string, apiVersion: string, given: object): Promise<number> => {
      const body = { location: "westeurope", properties: given };
      const reply = await server.request("PUT", at(name, apiVersion), body);
      return reply.status;
    };
    assert.equal(await put("old", "2026-01-01", { size: 3 }), 201);
    assert.deepEqual(await properties(server, "old", "2026-02-01"), { width: 3, ...state });
    assert.equal(await put("old", "2026-02-01", { width: 4 }), 200);
    assert.deepEqual(await properties(server, "old", "2026-01-01"), { size: 4, ...state });

    const path = `${definitions}/things.rooms.dev`;
    const { metadata } = (await server.request("GET", path)).json as { metadata: object };
    const next = { ...definition(hooks, "v2"), metadata };
    const changed = await server.request("PUT", path, next);
    assert.equal(changed.status, 200, changed.text);
    // What is in the store is still in the version it was written in.
    assert.deepEqual(await properties(server, "old", "2026-01-01"), { size: 4, ...state });
    assert.deepEqual(await properties(server, "old", "2026-02-01"), { width: 4, ...state });
    assert.equal(await put("old", "2026-01-01", { size: 5 }), 200);
    assert.deepEqual(await properties(server, "old", "2026-02-01"), { width: 5, ...state });
    assert.equal(await put("new", "2026-01-01", { size: 6 }), 201);
    assert.deepEqual(await properties(server, "new", "2026-02-01"), { width: 6, ...state });
    await changesMeanwhile(server);
  });
});

/** Requests are answered by the face there is, or told that there is none. */
async function changesMeanwhile(server: ArmServer): Promise<void> {
  const stop = new AbortController();
  const odd: string[] = [];
  const asking = Array.from({ length: 2 }, async () => {
    while (!stop.signal.aborted) {
      const reply = await server.request("GET", at("old", "2026-01-01"));
      const isGood =
        reply.status === 200 ||
        (reply.status === 404 && String(codeOf(reply)).startsWith("InvalidResource")) ||
        (reply.status === 400 && codeOf(reply) === "InvalidApiVersionParameter");
      if (!isGood) odd.push(`${reply.status} ${reply.text}`);
      await delay(5);
    }
  });
  const path = `${faces}/things`;
  const is = async (status: number): Promise<void> => {
    const isSo = async (): Promise<boolean> =>
      (await server.request("GET", at("old", "2026-01-01"))).status === status;
    await waitUntil(`the answer to be ${status}`, isSo, patience);
  };
  try {
    const versions = (...given: readonly (readonly [string, string])[]): object => ({
      spec: { versions: given.map(([apiVersion, version]) => ({ apiVersion, version })) },
    });
    assert.equal((await server.request("PATCH", path, versions(second))).status, 200);
    await is(400);
    await staysPollable(server);
    assert.equal((await server.request("PATCH", path, versions(first, second))).status, 200);
    await is(200);
    assert.equal((await server.request("DELETE", path)).status, 200);
    await is(404);
    assert.equal((await server.request("POST", faces, face(first, second))).status, 201);
    await is(200);
  } finally {
    stop.abort();
    await Promise.all(asking);
  }
  assert.deepEqual(odd, []);
}

/** What was accepted in a version is told in it, also when that is offered no more. */
async function staysPollable(server: ArmServer): Promise<void> {
  const records = `/apis/arm.setpoint.dev/v1/namespaces/sub-${subscription}/operations`;
  const { json } = await server.request("GET", records);
  const found = pickList(json, "items").find((each) => {
    const isOurs = pick(each, "spec.provider") === "Example.Rooms";
    return isOurs && pick(each, "spec.apiVersion") === "2026-01-01";
  });
  const where = `/subscriptions/${subscription}/providers/Example.Rooms/locations/westeurope`;
  const poll = `${where}/operationsStatus/${pickText(found, "metadata.name")}`;
  const told = await server.request("GET", `${poll}?api-version=2026-01-01`);
  assert.equal(told.status, 200, told.text);
  const other = await server.request("GET", `${poll}?api-version=2026-03-01`);
  assert.equal(other.status, 400, other.text);
  assert.equal(codeOf(other), "InvalidApiVersionParameter");
}

// Definitions whose versions a webhook converts, from the client's side.
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { pick, pickList, startKubeServer } from "./server.ts";
import type { KubeServer } from "./server.ts";
import { startWebhookServer } from "./webhook-server.ts";
import type { WebhookServer } from "./webhook-server.ts";

const kind = (version: string): string => `/apis/convert.dev/${version}/namespaces/default/things`;
let server: KubeServer;
let hooks: WebhookServer;

interface Thing {
  readonly spec: { readonly size?: number; readonly width?: number };
}

/** What v1 calls size, v2 calls width. */
function converted(object: unknown, apiVersion: string): object {
  const { spec } = object as Thing;
  const size = spec.size ?? spec.width ?? 0;
  const named = apiVersion.endsWith("v1") ? { size } : { width: size };
  return { ...(object as object), apiVersion, spec: named };
}

before(async () => {
  server = await startKubeServer();
  hooks = await startWebhookServer();
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
  const version = (name: string, field: string, storage: boolean): object => ({
    name,
    served: true,
    storage,
    schema: {
      openAPIV3Schema: {
        type: "object",
        properties: { spec: { type: "object", properties: { [field]: { type: "integer" } } } },
      },
    },
  });
  const clientConfig = { url: hooks.url("/convert"), caBundle: hooks.caBundle };
  const reply = await server.request(
    "POST",
    "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
    {
      apiVersion: "apiextensions.k8s.io/v1",
      kind: "CustomResourceDefinition",
      metadata: { name: "things.convert.dev" },
      spec: {
        group: "convert.dev",
        names: { kind: "Thing", plural: "things" },
        scope: "Namespaced",
        versions: [version("v1", "size", true), version("v2", "width", false)],
        conversion: {
          strategy: "Webhook",
          webhook: { clientConfig, conversionReviewVersions: ["v1"] },
        },
      },
    },
  );
  assert.equal(reply.status, 201, reply.text);
});

after(async () => {
  await server.stop();
  await hooks[Symbol.asyncDispose]();
});

describe("conversion by webhook", () => {
  it("shows and stores each version in its own form", async () => {
    const made = await server.request("POST", kind("v2"), {
      apiVersion: "convert.dev/v2",
      kind: "Thing",
      metadata: { name: "one" },
      spec: { width: 7 },
    });
    assert.equal(made.status, 201, made.text);
    assert.deepEqual(pick(made.json, "spec"), { width: 7 });
    const old = await server.request("GET", `${kind("v1")}/one`);
    assert.deepEqual(pick(old.json, "spec"), { size: 7 });
    const list = await server.request("GET", kind("v2"));
    assert.deepEqual(pick(list.json, "items.0.spec"), { width: 7 });
  });

  it("makes a request fail when it fails", async () => {
    hooks.on("/convert", (_, response) => {
      response.writeHead(500).end("boom");
      return undefined;
    });
    const reply = await server.request("GET", `${kind("v2")}/one`);
    assert.equal(reply.status, 500);
    const why = "conversion webhook for convert.dev/v1, Kind=Thing failed";
    assert.ok(String(pick(reply.json, "message")).includes(why), reply.text);
  });
});

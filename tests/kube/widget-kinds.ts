// The kinds that the tests of writing use: one with everything that a schema can say, in a
// namespace, with status and scale, and a plain one for the whole cluster.
import assert from "node:assert/strict";
import type { KubeServer, Reply, RequestHeaders } from "./server.ts";
import { pick } from "./server.ts";

export const group = "tests.example.dev";
export const apiVersion = `${group}/v1`;
export const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

const anything = { type: "object", "x-kubernetes-preserve-unknown-fields": true };

const port = {
  type: "object",
  required: ["port"],
  properties: {
    port: { type: "integer" },
    protocol: { type: "string", default: "TCP" },
    label: { type: "string" },
  },
};

const widgetSpec = {
  type: "object",
  properties: {
    size: { type: "integer", minimum: 0, maximum: 100 },
    color: { type: "string", enum: ["red", "green", "blue"], default: "red" },
    replicas: { type: "integer" },
    name: { type: "string", maxLength: 10 },
    tags: { type: "array", items: { type: "string" }, "x-kubernetes-list-type": "set" },
    plain: { type: "array", items: { type: "string" }, maxItems: 3 },
    ports: {
      type: "array",
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["port", "protocol"],
      items: port,
    },
    limits: { type: "object", additionalProperties: { type: "string" } },
    whole: {
      type: "object",
      "x-kubernetes-map-type": "atomic",
      properties: { a: { type: "string" }, b: { type: "string" } },
    },
    free: anything,
    embedded: { ...anything, "x-kubernetes-embedded-resource": true },
    fixed: {
      type: "string",
      "x-kubernetes-validations": [{ rule: "self == oldSelf", message: "fixed is fixed" }],
    },
  },
};

const widgetStatus = {
  type: "object",
  properties: {
    replicas: { type: "integer", minimum: 0 },
    selector: { type: "string" },
    phase: { type: "string" },
  },
};

export function definition(
  plural: string,
  kind: string,
  scope: "Namespaced" | "Cluster",
  versions: readonly unknown[],
): unknown {
  const names = { plural, singular: plural.slice(0, -1), kind };
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.${group}` },
    spec: { group, scope, names, versions },
  };
}

export function version(name: string, properties: unknown, more: object = {}): unknown {
  const schema = { openAPIV3Schema: { type: "object", properties } };
  return { name, served: true, storage: true, schema, ...more };
}

/** Makes the kinds and a namespace called "test". */
export async function setUpWidgets(server: KubeServer): Promise<void> {
  const scale = {
    specReplicasPath: ".spec.replicas",
    statusReplicasPath: ".status.replicas",
    labelSelectorPath: ".status.selector",
  };
  const widgetParts = { spec: widgetSpec, status: widgetStatus };
  const gadgetParts = {
    spec: { type: "object", properties: { size: { type: "integer" } } },
    status: { type: "object", properties: { phase: { type: "string" } } },
  };
  await made(server, definitions, [
    definition("widgets", "Widget", "Namespaced", [
      version("v1", widgetParts, { subresources: { status: {}, scale } }),
    ]),
    definition("gadgets", "Gadget", "Cluster", [version("v1", gadgetParts)]),
  ]);
  const metadata = { name: "test" };
  await made(server, "/api/v1/namespaces", [{ apiVersion: "v1", kind: "Namespace", metadata }]);
}

async function made(server: KubeServer, path: string, bodies: readonly unknown[]): Promise<void> {
  for (const body of bodies) {
    const { status, text } = await server.request("POST", path, body);
    assert.equal(status, 201, text);
  }
}

export const widgets = `/apis/${apiVersion}/namespaces/test/widgets`;
export const gadgets = `/apis/${apiVersion}/gadgets`;
export const configMaps = "/api/v1/namespaces/test/configmaps";

export function widget(
  name: string | undefined,
  spec: unknown = {},
  metadata: object = {},
): object {
  const named = name === undefined ? metadata : { name, ...metadata };
  return { apiVersion, kind: "Widget", metadata: named, spec };
}

export function configMap(name: string, more: object = {}, metadata: object = {}): object {
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { name, ...metadata }, ...more };
}

export const mergePatch: RequestHeaders = { "content-type": "application/merge-patch+json" };
export const jsonPatch: RequestHeaders = { "content-type": "application/json-patch+json" };
export const strategicPatch: RequestHeaders = {
  "content-type": "application/strategic-merge-patch+json",
};
export const applyPatch: RequestHeaders = { "content-type": "application/apply-patch+yaml" };

/** The answer is a Status with these. */
export function refused(
  reply: Reply,
  code: number,
  reason: string | undefined,
  text: string,
): void {
  const { json } = reply;
  const shown = { code: reply.status, reason: pick(json, "reason"), text: pick(json, "message") };
  assert.deepEqual(shown, { code, reason, text });
  assert.equal(pick(json, "kind"), "Status");
  assert.equal(pick(json, "status"), "Failure");
  assert.equal(pick(json, "code"), code);
}

/** The answer is an object; returns it. */
export function given(reply: Reply, code = 200): Record<string, unknown> {
  assert.equal(reply.status, code, reply.text);
  return reply.json as Record<string, unknown>;
}

/** The document with a change; what is undefined is left out when it is sent. */
export function changed(
  document: unknown,
  part: "metadata" | "spec" | "status",
  more: object,
): object {
  const before = document as Record<string, unknown>;
  return { ...before, [part]: { ...(before[part] as object), ...more } };
}

export function revisionOf(document: unknown): number {
  return Number(pick(document, "metadata.resourceVersion"));
}

/** The kind and the objects of the bench: a small schema and about one KiB each. */
import { requestBytes } from "./http-load.ts";

export const collection = "/apis/bench.setpoint.dev/v1/namespaces/default/gadgets";

export const definition = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "gadgets.bench.setpoint.dev" },
  spec: {
    group: "bench.setpoint.dev",
    scope: "Namespaced",
    names: { plural: "gadgets", kind: "Gadget" },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: {
          openAPIV3Schema: {
            type: "object",
            properties: {
              spec: {
                type: "object",
                properties: {
                  size: { type: "integer", minimum: 0 },
                  text: { type: "string" },
                  items: { type: "array", items: { type: "string" } },
                },
              },
              status: { type: "object", properties: { phase: { type: "string" } } },
            },
          },
        },
      },
    ],
  },
} as const;

const padding = "x".repeat(600);

export function gadget(name: string, size: number, resourceVersion?: string): string {
  return JSON.stringify({
    apiVersion: "bench.setpoint.dev/v1",
    kind: "Gadget",
    metadata: {
      name,
      labels: { app: "bench", shard: String(size % 10) },
      ...(resourceVersion === undefined ? {} : { resourceVersion }),
    },
    spec: { size, text: padding, items: ["a", "b", "c"] },
  });
}

export function json(text: string): { readonly type: string; readonly text: string } {
  return { type: "application/json", text };
}

export function mergePatch(size: number): { readonly type: string; readonly text: string } {
  return { type: "application/merge-patch+json", text: `{"spec":{"size":${size}}}` };
}

export function creation(token: string, name: string, size: number): Buffer {
  return requestBytes("POST", collection, token, json(gadget(name, size)));
}

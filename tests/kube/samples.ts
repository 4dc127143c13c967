// What the tests of the surface read and watch: a kind in namespaces with selectable fields, one
// without namespaces, and a few objects of each.
import assert from "node:assert/strict";
import type { KubeServer, Reply } from "./server.ts";

export const group = "tests.dev";
export const widgets = `/apis/${group}/v1/namespaces/team/widgets`;
export const allWidgets = `/apis/${group}/v1/widgets`;
export const regions = `/apis/${group}/v1/regions`;
export const configMaps = "/api/v1/namespaces/team/configmaps";

export type Labels = Readonly<Record<string, string>>;

export function widget(name: string, spec: object = {}, labels: Labels = {}): object {
  const metadata = { name, namespace: "team", labels };
  return { apiVersion: `${group}/v1`, kind: "Widget", metadata, spec };
}

export async function createSamples(server: KubeServer): Promise<void> {
  const namespace = { apiVersion: "v1", kind: "Namespace", metadata: { name: "team" } };
  await created(server.request("POST", "/api/v1/namespaces", namespace));
  const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
  await created(server.request("POST", definitions, widgetDefinition));
  await created(server.request("POST", definitions, regionDefinition));
  await created(
    server.request("POST", regions, {
      apiVersion: `${group}/v1`,
      kind: "Region",
      metadata: { name: "north" },
    }),
  );
  for (const [name, spec, labels] of samples) {
    await created(server.request("POST", widgets, widget(name, spec, labels)));
  }
  for (const name of ["cm1", "cm2", "cm3"]) {
    const map = { apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data: { a: "b" } };
    await created(server.request("POST", configMaps, map));
  }
}

export async function created(reply: Promise<Reply>): Promise<void> {
  const { status, text } = await reply;
  assert.equal(status, 201, text);
}

const samples: readonly (readonly [string, object, Labels])[] = [
  ["a", { color: "red", size: 1, on: true }, { app: "x", tier: "1" }],
  ["b", { color: "blue", size: 2 }, { app: "y" }],
  ["c", { size: 3 }, { app: "x" }],
  ["d", {}, {}],
  ["e", { color: "" }, { app: "z", empty: "" }],
];

const widgetSchema = {
  type: "object",
  properties: {
    spec: {
      type: "object",
      properties: {
        color: { type: "string" },
        size: { type: "integer" },
        on: { type: "boolean" },
        note: { type: "string" },
      },
    },
    status: { type: "object", properties: { size: { type: "integer" } } },
  },
};

const widgetDefinition = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: `widgets.${group}` },
  spec: {
    group,
    scope: "Namespaced",
    names: { plural: "widgets", singular: "widget", kind: "Widget", listKind: "WidgetList" },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        subresources: { status: {} },
        selectableFields: [
          { jsonPath: ".spec.color" },
          { jsonPath: ".spec.size" },
          { jsonPath: ".spec.on" },
        ],
        additionalPrinterColumns: [{ name: "Color", type: "string", jsonPath: ".spec.color" }],
        schema: { openAPIV3Schema: widgetSchema },
      },
    ],
  },
};

const regionDefinition = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: `regions.${group}` },
  spec: {
    group,
    scope: "Cluster",
    names: { plural: "regions", singular: "region", kind: "Region", listKind: "RegionList" },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
        },
      },
    ],
  },
};

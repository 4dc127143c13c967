// Definitions for the tests of this folder.

import type { JsonObject } from "../../kernel/json.ts";
import type { Definition } from "./definition-parts.ts";

export const widgetVersion: JsonObject = {
  name: "v1",
  served: true,
  storage: true,
  schema: {
    openAPIV3Schema: {
      type: "object",
      properties: { spec: { type: "object", properties: { size: { type: "integer" } } } },
    },
  },
};

export const widgetSpec: JsonObject = {
  group: "example.dev",
  names: { plural: "widgets", singular: "widget", kind: "Widget", listKind: "WidgetList" },
  scope: "Namespaced",
  versions: [widgetVersion],
  conversion: { strategy: "None" },
};

export function definitionOf(spec: JsonObject, status?: JsonObject): Definition {
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "widgets.example.dev" },
    spec,
    ...(status === undefined ? {} : { status }),
  };
}

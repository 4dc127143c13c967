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

export function definitionOf(ofSpec: JsonObject, status?: JsonObject): Definition {
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "widgets.example.dev" },
    spec: ofSpec,
    ...(status === undefined ? {} : { status }),
  };
}

/** The sample with another name of the definition. */
export function named(name: string, ofSpec: JsonObject): Definition {
  return { ...definitionOf(ofSpec), metadata: { name } };
}

export function spec(change: JsonObject): JsonObject {
  return { ...widgetSpec, ...change };
}

export function version(change: JsonObject): JsonObject {
  return { ...widgetVersion, ...change };
}

export function schema(openAPIV3Schema: JsonObject): JsonObject {
  return { schema: { openAPIV3Schema } };
}

/** Properties of type string, one for each letter. */
export function letters(text: string): JsonObject {
  return Object.fromEntries(Array.from(text, (letter) => [letter, { type: "string" }]));
}

export function webhook(clientConfig: JsonObject): JsonObject {
  return { strategy: "Webhook", webhook: { clientConfig, conversionReviewVersions: ["v1"] } };
}

/** What Kubernetes says about names that are no labels. */
export const label =
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an " +
  "alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or " +
  "'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')";

export const subdomain =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or " +
  "'.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used " +
  "for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";

// The kind ArmFace: offers a kind that comes from a definition through the Resource Manager,
// without any code. Its api-versions are versions of the definition, converted as the definition
// says.

import { acceptedColumns } from "../../intents/kinds/accepted-columns.ts";
import type { JsonObject } from "../../kernel/json.ts";
import type { KindInput } from "../../kernel/kind.ts";

const text = { type: "string", minLength: 1, maxLength: 128 };

const fieldRule: JsonObject = {
  type: "object",
  required: ["path", "rule"],
  properties: {
    path: {
      type: "string",
      pattern: "^/",
      maxLength: 512,
      description: "A JSON Pointer into properties, such as /principal/secret.",
    },
    rule: { type: "string", enum: ["read-only", "create-only", "write-only", "secret"] },
  },
};

const version: JsonObject = {
  type: "object",
  required: ["apiVersion", "version"],
  properties: {
    apiVersion: { type: "string", pattern: "^[0-9]{4}-[0-9]{2}-[0-9]{2}(-preview)?$" },
    version: { ...text, description: "The version of the definition that it shows." },
    isAdmin: { type: "boolean", description: "For the operators of the service alone." },
    fieldRules: {
      type: "array",
      maxItems: 100,
      items: fieldRule,
      description: "Besides those that the schema of the definition names.",
    },
  },
};

const spec: JsonObject = {
  type: "object",
  required: ["provider", "type", "kind", "locations", "versions"],
  properties: {
    provider: { ...text, description: "Such as Example.Shop." },
    type: { ...text, description: "Such as shops, or shops/shelves for a type inside another." },
    kind: { ...text, maxLength: 253, description: "The name of the definition." },
    locations: { type: "array", minItems: 1, maxItems: 100, items: text },
    versions: {
      type: "array",
      minItems: 1,
      maxItems: 50,
      items: version,
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["apiVersion"],
    },
    movable: {
      type: "boolean",
      description: "Whether resources can be moved to another resource group; true by default.",
    },
    afterFailedUpdate: {
      type: "string",
      enum: ["keep", "revert"],
      description: "What is shown after a change that failed: what is wanted, or what was before.",
    },
    operationTimeoutSeconds: { type: "integer", minimum: 1 },
    operationRetentionSeconds: { type: "integer", minimum: 1 },
  },
  "x-kubernetes-validations": ["provider", "type", "kind"].map((field) => ({
    rule: `self.${field} == oldSelf.${field}`,
    message: "cannot be changed, because the ids of resources hold it: make another face",
    fieldPath: `.${field}`,
  })),
};

export const faceDefinition: KindInput = {
  group: "arm.setpoint.dev",
  names: { plural: "armfaces", kind: "ArmFace", categories: ["arm"] },
  scope: "Cluster",
  subresources: { status: true },
  versions: [
    {
      name: "v1",
      served: true,
      storage: true,
      schema: { type: "object", required: ["spec"], properties: { spec } },
      printerColumns: [
        { name: "Provider", type: "string", jsonPath: ".spec.provider" },
        { name: "Type", type: "string", jsonPath: ".spec.type" },
        { name: "Kind", type: "string", jsonPath: ".spec.kind" },
        ...acceptedColumns,
      ],
    },
  ],
};

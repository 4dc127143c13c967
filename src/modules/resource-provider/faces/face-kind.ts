// The kind ArmFace: offers a kind that comes from a definition through the Resource Manager,
// without any code. Its api-versions are versions of the definition, converted as the definition
// says.

import { acceptedColumns } from "../../../intents/kinds/accepted-columns.ts";
import type { JsonObject } from "../../../kernel/json.ts";
import type { KindInput } from "../../../kernel/kind.ts";
import { providerLimits } from "../limits.ts";

const text = { type: "string", minLength: 1, maxLength: 128 };

const fieldRule: JsonObject = {
  type: "object",
  description: "A rule for one field.",
  required: ["path", "rule"],
  properties: {
    path: {
      type: "string",
      pattern: "^/",
      maxLength: 512,
      description: "A JSON Pointer into properties, such as /principal/secret.",
    },
    rule: {
      type: "string",
      enum: ["read-only", "create-only", "write-only", "secret"],
      description: "When clients can set the field, and whether it is returned.",
    },
  },
};

const version: JsonObject = {
  type: "object",
  description: "One api-version, which presents one version of the definition.",
  required: ["apiVersion", "version"],
  properties: {
    apiVersion: {
      type: "string",
      pattern: "^[0-9]{4}-[0-9]{2}-[0-9]{2}(-preview)?$",
      description: "Name of the api-version, such as 2026-01-01 or 2026-01-01-preview.",
    },
    version: {
      ...text,
      description: "Version of the definition that this api-version presents.",
    },
    isAdmin: {
      type: "boolean",
      description: "Only for users with a role for the subresource admin of the kind.",
    },
    fieldRules: {
      type: "array",
      maxItems: 100,
      items: fieldRule,
      description: "Rules in addition to those in the schema of the definition.",
    },
  },
};

const spec: JsonObject = {
  type: "object",
  description: "How the kind is presented.",
  required: ["provider", "type", "kind", "locations", "versions"],
  properties: {
    provider: { ...text, description: "Resource provider namespace, such as Example.Shop." },
    type: {
      ...text,
      description: "Resource type, such as shops, or shops/shelves for a nested type.",
    },
    kind: { ...text, maxLength: 253, description: "Name of the CustomResourceDefinition." },
    locations: {
      type: "array",
      minItems: 1,
      maxItems: 100,
      items: text,
      description: "Allowed locations. Case and spaces are ignored in comparisons.",
    },
    versions: {
      type: "array",
      minItems: 1,
      maxItems: 50,
      items: version,
      description: "The api-versions that clients can use.",
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["apiVersion"],
    },
    isMovable: {
      type: "boolean",
      description: "Whether resources can move to another resource group. Default: true.",
    },
    movable: {
      type: "boolean",
      description: "Deprecated name of isMovable. isMovable takes precedence.",
    },
    afterFailedUpdate: {
      type: "string",
      enum: ["keep", "revert"],
      description:
        "What a GET returns after a failed update: the requested state, or the state before it.",
    },
    awaitEndMs: {
      type: "integer",
      minimum: 0,
      maximum: providerLimits.awaitEndMs,
      description:
        "How long a PUT or PATCH waits for its result. Default: 100. 0: it does not wait.",
    },
    operationTimeoutSeconds: {
      type: "integer",
      minimum: 1,
      description: "Time limit after which an unfinished operation fails. Default: 24 hours.",
    },
    operationRetentionSeconds: {
      type: "integer",
      minimum: 1,
      description: "How long a finished operation can be read. Default: 7 days.",
    },
  },
  "x-kubernetes-validations": ["provider", "type", "kind"].map((field) => ({
    rule: `self.${field} == oldSelf.${field}`,
    message: "cannot be changed because resource ids contain it: create another ArmFace",
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
      schema: {
        type: "object",
        description: "Presents a kind through the Azure Resource Manager protocol.",
        required: ["spec"],
        properties: { spec },
      },
      printerColumns: [
        { name: "Provider", type: "string", jsonPath: ".spec.provider" },
        { name: "Type", type: "string", jsonPath: ".spec.type" },
        { name: "Kind", type: "string", jsonPath: ".spec.kind" },
        ...acceptedColumns,
      ],
    },
  ],
};

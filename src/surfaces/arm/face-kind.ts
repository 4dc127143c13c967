// The kind ArmFace: offers a kind that comes from a definition through the Resource Manager,
// without any code. Its api-versions are versions of the definition, converted as the definition
// says.

import { acceptedColumns } from "../../intents/kinds/accepted-columns.ts";
import type { JsonObject } from "../../kernel/json.ts";
import type { KindInput } from "../../kernel/kind.ts";
import { mostAwaitMs } from "./face-check.ts";

const text = { type: "string", minLength: 1, maxLength: 128 };

const fieldRule: JsonObject = {
  type: "object",
  description: "Makes one field special.",
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
      description: "Who may see the field or change it, and when.",
    },
  },
};

const version: JsonObject = {
  type: "object",
  description: "One api-version, which shows one version of the definition.",
  required: ["apiVersion", "version"],
  properties: {
    apiVersion: {
      type: "string",
      pattern: "^[0-9]{4}-[0-9]{2}-[0-9]{2}(-preview)?$",
      description: "What clients ask for, such as 2026-01-01 or 2026-01-01-preview.",
    },
    version: {
      ...text,
      description: "The version of the definition that it shows, converted as that says.",
    },
    isAdmin: {
      type: "boolean",
      description: "For operators alone, who need a role for the subresource admin of the kind.",
    },
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
  description: "How the kind is offered.",
  required: ["provider", "type", "kind", "locations", "versions"],
  properties: {
    provider: { ...text, description: "Such as Example.Shop." },
    type: { ...text, description: "Such as shops, or shops/shelves for a type inside another." },
    kind: { ...text, maxLength: 253, description: "The name of the definition." },
    locations: {
      type: "array",
      minItems: 1,
      maxItems: 100,
      items: text,
      description: "Where resources may be, as shown; compared without case and spaces.",
    },
    versions: {
      type: "array",
      minItems: 1,
      maxItems: 50,
      items: version,
      description: "The api-versions that clients may ask for.",
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["apiVersion"],
    },
    isMovable: {
      type: "boolean",
      description: "False: resources stay in their resource group.",
    },
    movable: {
      type: "boolean",
      description: "The former name of isMovable, which counts where both are given.",
    },
    afterFailedUpdate: {
      type: "string",
      enum: ["keep", "revert"],
      description: "What is shown after a change that failed: what is wanted, or what was before.",
    },
    awaitEndMs: {
      type: "integer",
      minimum: 0,
      maximum: mostAwaitMs,
      description: "How long a PUT or PATCH is kept for its end; 100 by default, 0 for never.",
    },
    operationTimeoutSeconds: {
      type: "integer",
      minimum: 1,
      description: "After this an operation that has not ended has failed; 24 hours by default.",
    },
    operationRetentionSeconds: {
      type: "integer",
      minimum: 1,
      description: "How long operations can be asked for after their end; 7 days by default.",
    },
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
      schema: {
        type: "object",
        description: "Offers the kind of a definition through the Azure Resource Manager protocol.",
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

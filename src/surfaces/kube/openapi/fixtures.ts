// A kind with one of everything that its published schema treats in a way of its own.

import { defineKind } from "../../../kernel/kind.ts";
import type { Kind, KindInput } from "../../../kernel/kind.ts";

export const widgetInput: KindInput = {
  group: "example.dev",
  names: { plural: "widgets", kind: "Widget" },
  scope: "Namespaced",
  subresources: {
    status: true,
    scale: { specReplicasPath: ".spec.replicas", statusReplicasPath: ".status.replicas" },
  },
  versions: [
    {
      name: "v1",
      served: true,
      storage: true,
      selectableFields: [".spec.color"],
      schema: {
        type: "object",
        description: "A thing.",
        required: ["spec"],
        "x-kubernetes-validations": [{ rule: "true" }],
        properties: {
          spec: {
            type: "object",
            required: ["color", "maybe"],
            properties: {
              color: { type: "string", enum: ["red", "blue"], default: "red" },
              replicas: { type: "integer", format: "int32", minimum: 0 },
              port: { "x-kubernetes-int-or-string": true },
              maybe: { type: "string", nullable: true },
              choice: { type: "string", oneOf: [{ pattern: "^a" }, { pattern: "^b" }] },
              free: {
                type: "object",
                "x-kubernetes-preserve-unknown-fields": true,
                properties: { a: { type: "string" } },
              },
              labels: { type: "object", additionalProperties: { type: "string" } },
              template: { type: "object", "x-kubernetes-embedded-resource": true },
            },
          },
        },
      },
    },
  ],
};

export const widgets: Kind = defineKind(widgetInput);

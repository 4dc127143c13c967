// The kinds that this surface brings along: subscriptions, and the records of operations. They are
// definitions like any other, so that kubectl shows them and roles speak about them.

import type { KindInput } from "../../kernel/kind.ts";

const group = "arm.setpoint.dev";
const text = { type: "string" };
const open = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
/** What an action was given may hold one, whatever its face says. */
const hidden = { ...text, "x-setpoint-field-rule": "secret" };
const secret = { ...open, "x-setpoint-field-rule": "secret" };

export const subscriptionsKind: KindInput = {
  group,
  names: { plural: "subscriptions", kind: "Subscription", categories: ["arm"] },
  scope: "Cluster",
  subresources: { status: true },
  versions: [
    {
      name: "v1",
      served: true,
      storage: true,
      schema: {
        type: "object",
        properties: {
          spec: {
            ...open,
            required: ["state"],
            properties: { state: text },
          },
        },
      },
      printerColumns: [
        { name: "State", type: "string", jsonPath: ".spec.state" },
        { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" },
      ],
    },
  ],
};

/** The spec that was last carried out, for faces that show it when a change has failed. */
export const appliedSpecsKind: KindInput = {
  group,
  names: { plural: "appliedspecs", kind: "AppliedSpec", categories: ["arm"] },
  scope: "Namespaced",
  versions: [
    {
      name: "v1",
      served: true,
      storage: true,
      schema: {
        type: "object",
        properties: { spec: { ...open, properties: { document: hidden } } },
      },
    },
  ],
};

export const operationsKind: KindInput = {
  group,
  names: { plural: "operations", kind: "Operation", categories: ["arm"] },
  scope: "Namespaced",
  subresources: { status: true },
  versions: [
    {
      name: "v1",
      served: true,
      storage: true,
      schema: {
        type: "object",
        properties: {
          spec: { ...open, properties: { input: secret, replay: hidden } },
          status: open,
        },
      },
      printerColumns: [
        { name: "Verb", type: "string", jsonPath: ".spec.verb" },
        { name: "Action", type: "string", jsonPath: ".spec.action", priority: 1 },
        { name: "State", type: "string", jsonPath: ".status.state" },
        { name: "Resource", type: "string", jsonPath: ".spec.resourceId" },
        { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" },
      ],
    },
  ],
};

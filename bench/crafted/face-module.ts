/** A user module with a large kind that is served by the Resource Manager. */
import { defineModule, describeKind, done } from "../../src/authoring/setpoint.ts";
import { numbered } from "./request.ts";

const text = { type: "string" } as const;

export default defineModule({
  name: "crafted",
  kinds: [
    {
      kind: describeKind({
        apiVersion: "face.crafted.dev/v1",
        kind: "Wall",
        plural: "walls",
        spec: {
          type: "object",
          properties: {
            ...numbered(3_000, "field", (index) => ({
              type: "object" as const,
              properties: { a: text, b: { type: "array" as const, items: text }, c: text },
              description: `The field ${index}`,
            })),
            items: { type: "array", items: { type: "integer" } },
            free: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
          },
        },
      }),
      reconciler: { reconcile: async () => done() },
      arm: {
        provider: "Example.Crafted",
        type: "walls",
        locations: ["West Europe"],
        versions: [{ apiVersion: "2026-01-01" }, { apiVersion: "2026-02-01" }],
      },
    },
  ],
});

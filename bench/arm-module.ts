/** The module of the Resource Manager bench: one kind, reached through both surfaces. */
import { defineModule, describeKind, done } from "../src/authoring/setpoint.ts";

export default defineModule({
  name: "quarry",
  kinds: [
    {
      kind: describeKind({
        apiVersion: "bench.setpoint.dev/v1",
        kind: "Stone",
        plural: "stones",
        spec: {
          type: "object",
          properties: {
            size: { type: "integer", minimum: 0 },
            text: { type: "string" },
            items: { type: "array", items: { type: "string" } },
          },
        },
      }),
      reconciler: { reconcile: async () => done() },
      arm: {
        provider: "Example.Quarry",
        type: "stones",
        locations: ["West Europe"],
        versions: [{ apiVersion: "2026-01-01" }],
      },
    },
  ],
});

// A module whose face is looser than its kind: in its older api-version a field has no limit, in
// its younger one that field is made of another, and an action wants what the kind refuses.
import { defineModule, describeKind, done } from "../../src/authoring/setpoint.ts";
import type { JsonObject } from "../../src/authoring/setpoint.ts";

const celsius = { type: "integer" } as const;

export default defineModule({
  name: "stoves",
  kinds: [
    {
      kind: describeKind({
        apiVersion: "stoves.tests.dev/v1",
        kind: "Stove",
        plural: "stoves",
        spec: {
          type: "object",
          properties: { degrees: { ...celsius, maximum: 300 }, note: { type: "string" } },
        },
      }),
      reconciler: { reconcile: () => Promise.resolve(done()) },
      arm: {
        provider: "Example.Stoves",
        awaitEndMs: 0,
        type: "stoves",
        locations: ["West Europe"],
        versions: [
          {
            apiVersion: "2026-01-01",
            schema: { type: "object", properties: { degrees: celsius } },
          },
          {
            apiVersion: "2026-06-01",
            schema: {
              type: "object",
              properties: { heat: { type: "object", properties: { celsius } } },
            },
            fromStored: ({ spec }) => ({ heat: { celsius: spec["degrees"] ?? 0 } }),
            toStored: ({ heat }, before) => ({
              ...before,
              degrees: (heat as JsonObject | undefined)?.["celsius"] ?? 0,
            }),
          },
        ],
        actions: [
          {
            name: "overheat",
            change: ({ spec }) => ({ ...(spec as JsonObject), degrees: 777 }),
            perform: () => ({}),
          },
        ],
      },
    },
  ],
});

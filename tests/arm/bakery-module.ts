// A module with a face, for the tests of the Resource Manager surface: ovens that are built by
// somebody who can be told to wait or to fail, recipes inside of them, and an action.
import { again, defineModule, describeKind, done, failed } from "../../src/authoring/setpoint.ts";
import type { JsonObject, Outcome, Resource } from "../../src/authoring/setpoint.ts";

const spec = {
  type: "object",
  properties: {
    size: { type: "integer", minimum: 1, maximum: 100 },
    model: { type: "string", "x-setpoint-field-rule": "create-only" },
    mode: { type: "string", enum: ["quick", "slow", "broken", "held"], default: "quick" },
    secretCode: { type: "string", "x-setpoint-field-rule": "secret" },
    later: { type: "string" },
    doors: { type: "object", properties: { left: { type: "string" }, right: { type: "string" } } },
  },
} as const;

const shown = {
  type: "object",
  properties: {
    size: { type: "integer" },
    model: { type: "string", "x-setpoint-field-rule": "create-only" },
    mode: { type: "string" },
    secretCode: { type: "string", "x-setpoint-field-rule": "secret" },
    doors: { type: "object", properties: { left: { type: "string" }, right: { type: "string" } } },
    url: { type: "string", "x-setpoint-field-rule": "read-only" },
  },
} as const;

/** Names that are held until they are let go. */
export const held = new Set<string>();

function specOf({ spec: given }: Resource): JsonObject {
  return (given ?? {}) as JsonObject;
}

function outcomeOf(resource: Resource): Outcome {
  const { mode } = specOf(resource);
  if (mode === "broken") {
    return failed("OvenBroken", "the oven does not get warm", { retry: "never" });
  }
  if (mode === "slow" && held.has(resource.metadata.name)) return again(50, { message: "warming" });
  return done({ status: { url: `https://oven/${resource.metadata.name}` } });
}

export default defineModule({
  name: "bakery",
  kinds: [
    {
      kind: describeKind({
        apiVersion: "bakery.tests.dev/v1",
        kind: "Oven",
        plural: "ovens",
        spec,
        status: { type: "object", properties: { url: { type: "string" } } },
      }),
      reconciler: {
        reconcile: async (resource, context) => {
          const { mode } = specOf(resource);
          if (mode === "slow") {
            await context.progress({ done: 1, of: 4, message: "warming" });
            held.add(resource.metadata.name);
            const isLong = resource.metadata.annotations?.["tests.dev/go"] !== "true";
            if (isLong) return again(50, { message: "warming" });
            held.delete(resource.metadata.name);
          }
          return outcomeOf(resource);
        },
        remove: (resource) => {
          const isHeld = specOf(resource)["mode"] === "held";
          return Promise.resolve(isHeld ? again(100, { message: "cooling" }) : done());
        },
      },
      arm: {
        provider: "Example.Bakery",
        type: "ovens",
        locations: ["West Europe", "eastus"],
        versions: [
          { apiVersion: "2026-01-01", schema: shown },
          { apiVersion: "2026-02-01", schema: spec },
          { apiVersion: "2026-01-01-preview", schema: spec, isAdmin: true },
        ],
        actions: [
          {
            name: "listCodes",
            perform: (resource) => ({ secretCode: specOf(resource)["secretCode"] ?? null }),
          },
        ],
      },
    },
    {
      kind: describeKind({
        apiVersion: "bakery.tests.dev/v1",
        kind: "Recipe",
        plural: "recipes",
        spec: { type: "object", properties: { text: { type: "string" } } },
      }),
      reconciler: { reconcile: () => Promise.resolve(done()) },
      arm: {
        provider: "Example.Bakery",
        type: "ovens/recipes",
        locations: ["West Europe", "eastus"],
        versions: [
          {
            apiVersion: "2026-01-01",
            schema: { type: "object", properties: { text: { type: "string" } } },
          },
        ],
      },
    },
  ],
});

// A module with a face, for the tests of the Resource Manager surface: ovens that a test can keep
// waiting (until they have the annotation tests.dev/go) or let fail, recipes inside of them, and
// actions: one that answers at once, and one that takes its time.
import { again, defineModule, describeKind, done, failed } from "../../src/authoring/setpoint.ts";
import type {
  ArmAction,
  Context,
  JsonObject,
  Outcome,
  Resource,
} from "../../src/authoring/setpoint.ts";

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

/** Of no api-version: only the action asks for it. */
const cleaning = {
  type: "object",
  properties: { id: { type: "string" }, how: { type: "string" } },
} as const;

const { size, model, mode, secretCode, doors } = spec.properties;
const shown = {
  type: "object",
  properties: {
    size,
    model,
    mode,
    secretCode,
    doors,
    url: { type: "string", "x-setpoint-field-rule": "read-only" },
  },
} as const;

function modeOf({ spec: given }: Resource): unknown {
  return (given as JsonObject | undefined)?.["mode"];
}

function isLetGo({ metadata }: Resource): boolean {
  return metadata.annotations?.["tests.dev/go"] === "true";
}

interface Cleaning {
  readonly id: string;
  readonly how: "well" | "held" | "rinsed" | "badly";
}

function cleaningOf({ spec: given }: Resource): Cleaning | undefined {
  return (given as { readonly cleaning?: Cleaning } | undefined)?.cleaning;
}

/** Undefined once it is clean. */
async function clean(resource: Resource, context: Context): Promise<Outcome | undefined> {
  const { how, id } = cleaningOf(resource) ?? {};
  if (how === "badly") return failed("OvenTooHot", "the oven is too hot", { retry: "never" });
  if (how === "held" && !isLetGo(resource)) {
    await context.progress({ done: 1, of: 2, message: "scrubbing" });
    return again(20, { message: "scrubbing" });
  }
  // Everything is done, and yet it goes on.
  if (how === "rinsed" && !isLetGo(resource)) {
    await context.progress({ done: 2, of: 2, message: "drying" });
    return again(20, { message: "drying" });
  }
  if (id !== undefined) context.log.info({ cleaning: id }, "oven cleaned");
  return undefined;
}

const cleanAction: ArmAction = {
  name: "clean",
  inputSchema: {
    type: "object",
    required: ["minutes"],
    properties: {
      minutes: { type: "integer", minimum: 1, maximum: 60 },
      how: { type: "string", enum: ["well", "held", "rinsed", "badly"], default: "well" },
      soap: { type: "string" },
    },
  },
  outputSchema: { type: "object", properties: { cleaned: { type: "string" } } },
  change: ({ spec: before }, input, { operation }) => ({
    ...(before as JsonObject),
    cleaning: { id: operation, how: (input as JsonObject)["how"] ?? "well" },
  }),
  perform: ({ status }, input) => ({
    cleaned: (status as JsonObject | undefined)?.["cleaned"] ?? null,
    ...(input as JsonObject),
  }),
};

export default defineModule({
  name: "bakery",
  kinds: [
    {
      kind: describeKind({
        apiVersion: "bakery.tests.dev/v1",
        kind: "Oven",
        plural: "ovens",
        spec: { ...spec, properties: { ...spec.properties, cleaning } },
        status: {
          type: "object",
          properties: { url: { type: "string" }, cleaned: { type: "string" } },
        },
      }),
      reconciler: {
        reconcile: async (resource, context) => {
          const wanted = modeOf(resource);
          if (wanted === "broken") {
            return failed("OvenBroken", "the oven does not get warm", { retry: "never" });
          }
          if (wanted === "slow" && !isLetGo(resource)) {
            await context.progress({ done: 1, of: 4, message: "warming" });
            return again(20, { message: "warming" });
          }
          const unclean = await clean(resource, context);
          if (unclean !== undefined) return unclean;
          const cleaned = cleaningOf(resource)?.id ?? null;
          return done({ status: { url: `https://oven/${resource.metadata.name}`, cleaned } });
        },
        remove: (resource) => {
          const isHeld = modeOf(resource) === "held" && !isLetGo(resource);
          return Promise.resolve(isHeld ? again(20, { message: "cooling" }) : done());
        },
      },
      arm: {
        provider: "Example.Bakery",
        // What the tests look at is under way.
        awaitEndMs: 0,
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
            perform: ({ spec: given }) => ({
              secretCode: (given as JsonObject | undefined)?.["secretCode"] ?? null,
            }),
          },
          cleanAction,
          { name: "hush", perform: () => undefined },
          { name: "enumerate", perform: () => [1] as unknown as JsonObject },
          {
            name: "recite",
            inputSchema: { type: "object", properties: { characters: { type: "integer" } } },
            perform: (_resource, input) => ({
              said: "x".repeat(Number((input as JsonObject)["characters"])),
            }),
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
        // What the tests look at is under way.
        awaitEndMs: 0,
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

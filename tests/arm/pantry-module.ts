// A second module with faces, for the tests of moves, replays and failed changes: jars, of which
// each has a number that is made once, with labels and words inside of them, and stones, which
// cannot be moved. A jar that is held waits for the annotation tests.dev/go.
import { again, defineModule, describeKind, done, failed } from "../../src/authoring/setpoint.ts";
import type { JsonObject, ModuleKind, Resource } from "../../src/authoring/setpoint.ts";

const jar = {
  type: "object",
  properties: {
    size: { type: "integer", minimum: 1, maximum: 100 },
    lid: { type: "string" },
    code: { type: "string", "x-setpoint-field-rule": "secret" },
    mode: { type: "string", enum: ["quick", "held", "broken"], default: "quick" },
  },
} as const;

const plain = { type: "object", properties: { text: { type: "string" } } } as const;
const provider = "Example.Pantry";
const locations = ["West Europe"];

function specOf({ spec }: Resource): JsonObject {
  return (spec ?? {}) as JsonObject;
}

function nested(kind: string, plural: string, type: string): ModuleKind {
  return {
    kind: describeKind({ apiVersion: "pantry.tests.dev/v1", kind, plural, spec: plain }),
    reconciler: { reconcile: () => Promise.resolve(done()) },
    arm: { provider, type, locations, versions: [{ apiVersion: "2026-01-01", schema: plain }] },
  };
}

export default defineModule({
  name: "pantry",
  kinds: [
    {
      kind: describeKind({
        apiVersion: "pantry.tests.dev/v1",
        kind: "Jar",
        plural: "jars",
        spec: jar,
        status: { type: "object", properties: { serial: { type: "string" } } },
        fieldRules: [{ path: "/spec/code", rule: "secret" }],
      }),
      reconciler: {
        reconcile: async (resource, context) => {
          const { mode } = specOf(resource);
          if (mode === "broken") {
            return failed("JarBroken", "the jar has a crack", { retry: "never" });
          }
          if (mode === "held" && resource.metadata.annotations?.["tests.dev/go"] !== "true") {
            return again(20, { message: "held" });
          }
          const serial = await context.remember("serial", () => String(context.random.next()));
          await context.children.apply({
            apiVersion: "v1",
            kind: "ConfigMap",
            metadata: { name: `${resource.metadata.name}-content` },
            data: { serial },
          });
          return done({ status: { serial } });
        },
        remove: () => Promise.resolve(done()),
      },
      arm: {
        provider,
        type: "jars",
        locations,
        afterFailedUpdate: "revert",
        versions: [
          {
            apiVersion: "2026-01-01",
            schema: {
              type: "object",
              properties: {
                ...jar.properties,
                serial: { type: "string", "x-setpoint-field-rule": "read-only" },
              },
            },
          },
        ],
        actions: [
          {
            name: "listCodes",
            perform: async (resource, _input, context) => {
              const name = `${resource.metadata.name}-content`;
              const child = await context.child({ kind: "configmaps", name });
              const code = specOf(resource)["code"] ?? null;
              return { code, content: child?.metadata.uid ?? null };
            },
          },
        ],
      },
    },
    nested("Label", "labels", "jars/labels"),
    nested("Word", "words", "jars/labels/words"),
    {
      kind: describeKind({
        apiVersion: "pantry.tests.dev/v1",
        kind: "Stone",
        plural: "stones",
        spec: plain,
      }),
      reconciler: { reconcile: () => Promise.resolve(done()) },
      arm: {
        provider,
        type: "stones",
        locations,
        isMovable: false,
        versions: [{ apiVersion: "2026-01-01", schema: plain }],
      },
    },
  ],
});

// A second module with faces, for the tests of moves, replays and failed changes: jars, of which
// each has a number that is made once, with labels and words inside of them, stones, which cannot
// be moved, cheeses, which soon take too long, and plugs, of which one runs at a time, until there
// is the file that it names.
// A jar or cheese that is held waits for the annotation tests.dev/go.
import { existsSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { again, defineModule, describeKind, done, failed } from "../../src/authoring/setpoint.ts";
import type { Context, JsonObject, ModuleKind, Resource } from "../../src/authoring/setpoint.ts";

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

function isLetGo({ metadata }: Resource): boolean {
  return metadata.annotations?.["tests.dev/go"] === "true";
}

/** Until the file is there. */
async function fileAt(path: string, { signal }: Context): Promise<void> {
  while (!existsSync(path) && !signal.aborted) await delay(20);
}

function nested(kind: string, plural: string, type: string): ModuleKind {
  return {
    kind: describeKind({ apiVersion: "pantry.tests.dev/v1", kind, plural, spec: plain }),
    reconciler: { reconcile: () => Promise.resolve(done()) },
    arm: {
      provider,
      type,
      locations,
      awaitEndMs: 0,
      versions: [{ apiVersion: "2026-01-01", schema: plain }],
    },
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
          if (mode === "held" && !isLetGo(resource)) return again(20, { message: "held" });
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
        awaitEndMs: 0,
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
        kind: "Cheese",
        plural: "cheeses",
        spec: jar,
      }),
      reconciler: {
        reconcile: (resource) => {
          const isHeld = specOf(resource)["mode"] === "held" && !isLetGo(resource);
          return Promise.resolve(isHeld ? again(20, { message: "held" }) : done());
        },
      },
      arm: {
        provider,
        awaitEndMs: 0,
        type: "cheeses",
        locations,
        // Counted from a whole second: no request may take so long that it is over with its answer.
        operationTimeoutMs: 8_000,
        versions: [{ apiVersion: "2026-01-01", schema: jar }],
      },
    },
    {
      kind: describeKind({
        apiVersion: "pantry.tests.dev/v1",
        kind: "Plug",
        plural: "plugs",
        spec: plain,
      }),
      reconciler: {
        concurrency: 1,
        reconcile: async (resource, context) => {
          await fileAt(specOf(resource)["text"] as string, context);
          return done();
        },
        remove: () => Promise.resolve(done()),
      },
      arm: {
        provider,
        awaitEndMs: 0,
        type: "plugs",
        locations,
        versions: [{ apiVersion: "2026-01-01", schema: plain }],
      },
    },
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
        awaitEndMs: 0,
        type: "stones",
        locations,
        isMovable: false,
        versions: [{ apiVersion: "2026-01-01", schema: plain }],
      },
    },
  ],
});

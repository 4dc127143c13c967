// A module that harms the thread it runs in, as the names of its resources and actions say.
import { setImmediate as immediate } from "node:timers/promises";
import { defineModule, describeKind, done } from "setpoint";
import type { Resource } from "setpoint";

const kind = describeKind({
  apiVersion: "hostile.example/v1",
  kind: "Thing",
  plural: "things",
  spec: { type: "object", properties: { size: { type: "integer" } } },
});

/** Small parts: one large part would be outside of the heap. It does not block the thread. */
async function useMemory(): Promise<never> {
  const kept: object[][] = [];
  for (;;) {
    kept.push(Array.from({ length: 50_000 }, (_, part) => ({ part, of: kept.length })));
    await immediate();
  }
}

async function act(name: string): Promise<void> {
  await Promise.resolve();
  if (name === "uses-memory") await useMemory();
  if (name === "exits") process.exit(3);
  if (name === "throws-later") {
    setTimeout(() => {
      throw new Error("thrown later");
    }, 1);
  }
  if (name === "rejects-later") void Promise.reject(new Error("rejected later"));
}

export default defineModule({
  name: "hostile",
  kinds: [
    {
      kind,
      reconciler: {
        reconcile: async ({ metadata }: Resource) => {
          await act(metadata.name);
          return done();
        },
        remove: async () => {
          await Promise.resolve();
          for (;;);
        },
      },
      arm: {
        provider: "Example.Hostile",
        type: "things",
        locations: ["westeurope"],
        versions: [{ apiVersion: "2026-01-01" }],
        actions: [
          {
            name: "block",
            perform: () => {
              for (;;);
            },
          },
          { name: "answer", perform: () => ({ answer: 42 }) },
        ],
      },
    },
  ],
});

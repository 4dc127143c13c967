// A module with a face whose effects can be counted: each step of making or removing a kiln leaves
// a line with the process that took it, and both wait in the middle until the test opens a gate, so
// that a test can end the process there.
import { appendFileSync, existsSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import { defineModule, describeKind, done } from "../../src/authoring/setpoint.ts";
import type { Context, Outcome, Resource, Step } from "../../src/authoring/setpoint.ts";

interface Kiln extends Resource {
  readonly spec: { readonly log: string; readonly gate: string; readonly size?: number };
}

const text = { type: "string" };

async function reconcile(kiln: Kiln, context: Context): Promise<Outcome> {
  const { gate, size = 0 } = kiln.spec;
  await context.perform({
    name: "build",
    about: String(size),
    steps: [step(kiln, "dig"), step(kiln, "fire", waitFor(gate, context)), step(kiln, "test")],
  });
  return done();
}

async function remove(kiln: Kiln, context: Context): Promise<Outcome> {
  const gate = `${kiln.spec.gate}-removal`;
  await context.perform({
    name: "raze",
    steps: [step(kiln, "empty"), step(kiln, "cool", waitFor(gate, context)), step(kiln, "raze")],
  });
  return done();
}

function step({ spec }: Kiln, name: string, wait = async (): Promise<void> => {}): Step {
  return {
    name,
    run: async () => {
      appendFileSync(spec.log, `${name} ${process.pid}\n`);
      await wait();
    },
  };
}

function waitFor(gate: string, { signal }: Context): () => Promise<void> {
  return async () => {
    while (!existsSync(gate)) await setTimeout(20, undefined, { signal });
  };
}

export default defineModule({
  name: "kilns",
  kinds: [
    {
      kind: describeKind({
        apiVersion: "kilns.tests.dev/v1",
        kind: "Kiln",
        plural: "kilns",
        spec: {
          type: "object",
          required: ["log", "gate"],
          properties: { log: text, gate: text, size: { type: "integer" } },
        },
      }),
      reconciler: { reconcile, remove },
      arm: {
        provider: "Example.Pottery",
        type: "kilns",
        locations: ["West Europe"],
        versions: [{ apiVersion: "2026-01-01" }],
      },
    },
  ],
});

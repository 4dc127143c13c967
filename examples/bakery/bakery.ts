// A resource provider in one file: a schema, a reconciler and a name.
//
//   setpoint dev --module examples/bakery/bakery.ts

import { defineModule, describeKind, done, failed } from "setpoint";
import type { Context, Outcome, Resource } from "setpoint";

interface Oven extends Resource {
  readonly spec: { readonly city: string; readonly degrees: number; readonly key?: string };
}

const oven = describeKind({
  apiVersion: "bakery.example/v1",
  kind: "Oven",
  plural: "ovens",
  spec: {
    type: "object",
    required: ["city"],
    properties: {
      city: { type: "string", minLength: 1, "x-setpoint-field-rule": "create-only" },
      degrees: { type: "integer", minimum: 50, maximum: 300, default: 180 },
      key: { type: "string", "x-setpoint-field-rule": "secret" },
    },
  },
  status: { type: "object", properties: { address: { type: "string" } } },
});

async function reconcile({ spec }: Oven, context: Context): Promise<Outcome> {
  if (spec.degrees > 280) return failed("TooHot", "bricks melt", { retry: "never" });
  const number = await context.remember("number", () => Math.floor(context.random.next() * 1000));
  await context.perform({
    name: "heat",
    about: String(spec.degrees),
    steps: [
      { name: "light", run: () => Promise.resolve() },
      { name: "wait", run: () => Promise.resolve() },
    ],
  });
  return done({ status: { address: `oven-${number}.${spec.city}.example` } });
}

async function remove(_oven: Oven, context: Context): Promise<Outcome> {
  await context.perform({
    name: "cool",
    steps: [{ name: "extinguish", run: () => Promise.resolve() }],
  });
  return done();
}

export default defineModule({
  name: "bakery",
  version: 1,
  kinds: [
    {
      kind: oven,
      reconciler: { reconcile, remove },
      arm: {
        provider: "Example.Bakery",
        type: "ovens",
        locations: ["West Europe"],
        versions: [{ apiVersion: "2026-01-01" }],
        awaitEndMs: 0,
      },
    },
  ],
});

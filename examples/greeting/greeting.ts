// A kind with a reconciler, small enough to read in a minute: a Greeting writes its text into a
// ConfigMap. The first word comes from another ConfigMap, and when that changes, so does the text.
//
//   setpoint dev --module examples/greeting/greeting.ts
//   kubectl apply -f examples/greeting/hello.yaml
//   kubectl get greetings

import { defineModule, describeKind, done, waiting } from "setpoint";
import type { Context, Outcome, Resource } from "setpoint";

interface Greeting extends Resource {
  readonly spec: { readonly whom: string; readonly salutationFrom?: string };
}

const kind = describeKind({
  apiVersion: "examples.setpoint.dev/v1",
  kind: "Greeting",
  plural: "greetings",
  spec: {
    type: "object",
    required: ["whom"],
    properties: {
      whom: { type: "string", minLength: 1, maxLength: 100 },
      salutationFrom: { type: "string" },
    },
  },
  status: { type: "object", properties: { text: { type: "string" } } },
  columns: [
    { name: "Text", type: "string", jsonPath: ".status.text" },
    { name: "Ready", type: "string", jsonPath: '.status.conditions[?(@.type=="Ready")].status' },
  ],
});

async function reconcile(greeting: Greeting, context: Context): Promise<Outcome> {
  const { whom, salutationFrom } = greeting.spec;
  let salutation = "Hello";
  if (salutationFrom !== undefined) {
    const reference = { kind: "configmaps", name: salutationFrom };
    const found = await context.references.get(reference);
    if (found === undefined) return waiting(reference, { message: "the salutation is missing" });
    const { data } = found as { readonly data?: { readonly salutation?: string } };
    salutation = data?.salutation ?? salutation;
  }
  const text = `${salutation}, ${whom}!`;
  await context.children.apply({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: `greeting-${greeting.metadata.name}` },
    data: { text },
  });
  return done({ status: { text } });
}

/** The ConfigMap is deleted with its owner; delete objects without an owner here. */
async function remove(greeting: Greeting, context: Context): Promise<Outcome> {
  context.event("Normal", "Farewell", `${greeting.spec.whom} is no longer greeted`);
  return done();
}

export default defineModule({
  name: "greeting",
  version: 1,
  kinds: [{ kind, reconciler: { reconcile, remove } }],
});

import { defineModule, describeKind, done } from "setpoint";
import type { Context, Outcome, Resource } from "setpoint";

const spec = { type: "object", required: ["text"], properties: { text: { type: "string" } } };
const kind = describeKind({ apiVersion: "example.dev/v1", kind: "Hello", plural: "hellos", spec });

async function reconcile(hello: Resource, { children }: Context): Promise<Outcome> {
  const metadata = { name: `hello-${hello.metadata.name}` };
  await children.apply({ apiVersion: "v1", kind: "ConfigMap", metadata, data: hello.spec ?? {} });
  return done();
}

export default defineModule({ name: "hello", kinds: [{ kind, reconciler: { reconcile } }] });

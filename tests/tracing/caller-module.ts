// A module whose reconciler calls an external system, for the test of traces: the URL is in the
// spec, and the call carries the header that makes the system part of the trace.
import { defineModule, describeKind, done } from "../../src/authoring/setpoint.ts";
import type { Context, Outcome, Resource } from "../../src/authoring/setpoint.ts";

async function reconcile(resource: Resource, context: Context): Promise<Outcome> {
  const { url } = resource.spec as { readonly url: string };
  const status = await context.outside("service", async (signal) => {
    const traceparent = context.tracer.traceparent?.();
    const headers = traceparent === undefined ? {} : { traceparent };
    return (await fetch(url, { headers, signal })).status;
  });
  context.log.info({ status }, "service called");
  return done({ status: { answered: status } });
}

export default defineModule({
  name: "callers",
  kinds: [
    {
      kind: describeKind({
        apiVersion: "tracing.tests.dev/v1",
        kind: "Caller",
        plural: "callers",
        spec: { type: "object", properties: { url: { type: "string" } } },
        status: { type: "object", properties: { answered: { type: "integer" } } },
      }),
      reconciler: { reconcile },
    },
  ],
});

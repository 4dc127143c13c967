// What a service receives of a trace, and what is a span of it.
import assert from "node:assert/strict";
import { it } from "node:test";
import type { SpanPort } from "../../src/engine/reporting/tracer.ts";
import { openMemoryConnect } from "./memory-connect.ts";

const traceparent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

function recording(header: string | undefined): SpanPort & { readonly names: string[] } {
  const names: string[] = [];
  return {
    names,
    within: async ({ name, kind }, inside) => {
      names.push(`${kind} ${name}`);
      return await inside();
    },
    traceparent: () => header,
  };
}

it("sends the trace to the service, and each request is a span of the run", async () => {
  const spans = recording(traceparent);
  await using connect = await openMemoryConnect({ spans });
  await connect.make("a", { name: "a" });
  await connect.pass();
  const { requests } = connect.service;
  assert(requests.length > 0);
  for (const { headers } of requests) assert.equal(headers["traceparent"], traceparent);
  const calls = spans.names.filter((name) => name.startsWith("client call "));
  assert.equal(calls.length, requests.length);
});

for (const spans of [recording(undefined), undefined]) {
  it(`sends no trace ${spans ? "that is not passed on" : "without tracing"}`, async () => {
    await using connect = await openMemoryConnect(spans === undefined ? {} : { spans });
    await connect.make("a", { name: "a" });
    await connect.pass();
    assert(connect.service.requests.length > 0);
    for (const { headers } of connect.service.requests) assert(!("traceparent" in headers));
  });
}

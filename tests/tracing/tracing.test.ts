// One request through a server that exports traces: the spans of the request, its commit, the run
// that carries it out and its call of an external system are one tree with one trace id.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { startKubeServer, pick } from "../kube/server.ts";
import type { KubeServer } from "../kube/server.ts";
import { waitUntil } from "../peers/wait.ts";
import { startCollector } from "./collector.ts";
import type { CollectedSpan, Collector } from "./collector.ts";

let collector: Collector;
let server: KubeServer;
const traceId = "4bf92f3577b34da6a3ce929d0e0e4736";
const clientSpan = "00f067aa0ba902b7";
const traceparent = `00-${traceId}-${clientSpan}-01`;
const callers = "/apis/tracing.tests.dev/v1/namespaces/default/callers";

before(async () => {
  collector = await startCollector();
  const module = [fileURLToPath(new URL("caller-module.ts", import.meta.url))];
  const traceHeaders = "authorization=Bearer%20collector";
  server = await startKubeServer({ module, traceEndpoint: collector.url, traceHeaders });
});
after(async () => {
  assert.deepEqual(server.errors, []);
  await server.stop();
  await collector[Symbol.asyncDispose]();
});

function ofTrace(): readonly CollectedSpan[] {
  return collector.spans.filter((span) => span.traceId === traceId);
}

function named(start: string): CollectedSpan | undefined {
  return ofTrace().find(({ name }) => name.startsWith(start));
}

test("a PUT, its commit, the run and the external call are one connected trace", async () => {
  const url = `${collector.url}/service`;
  const made = await server.request("POST", callers, {
    apiVersion: "tracing.tests.dev/v1",
    kind: "Caller",
    metadata: { name: "one" },
    spec: { url },
  });
  assert.equal(made.status, 201);
  const settled = await waitUntil("the first run", async () => {
    const { json } = await server.request("GET", `${callers}/one`);
    return pick(json, "status.answered") === 200 && (json as object);
  });
  const wanted = { ...settled, spec: { url: `${url}?changed` } };
  const replaced = await server.request("PUT", `${callers}/one`, wanted, { traceparent });
  assert.equal(replaced.status, 200);
  await waitUntil("the spans", () => named("call service") !== undefined && commits().length >= 2);

  const request = named("PUT kube");
  assert.equal(request?.parentSpanId, clientSpan);
  assert.equal(request.kind, 2);
  assert.equal(request.attributes["http.response.status_code"], "200");
  assert.equal(request.attributes["url.path"], `${callers}/one`);

  const commit = commits().find(({ parentSpanId }) => parentSpanId === request.spanId);
  assert(commit !== undefined, "the commit is a part of the request");
  const change = (await history()).find(({ cause }) => cause?.surface === "kube");
  assert.equal(commit.attributes["setpoint.revision"], String(change?.revision));

  const run = named("reconcile");
  assert.equal(run?.parentSpanId, commit.spanId, "the run was caused by the commit");
  assert.equal(run.attributes["setpoint.name"], "one");

  const call = named("call service");
  assert.equal(call?.parentSpanId, run.spanId);
  assert.deepEqual([call.kind, call.isFailed], [3, false]);
  const called = collector.serviceHeaders.at(-1)?.["traceparent"];
  assert.equal(called, `00-${traceId}-${call.spanId}-01`, "the system receives its parent");

  const report = commits().find(({ parentSpanId }) => parentSpanId === run.spanId);
  assert(report !== undefined, "the report of the run is a part of it");
});

test("the collector is sent the configured headers, and /metrics counts spans", async () => {
  assert.equal(collector.headers[0]?.authorization, "Bearer collector");
  const { text } = await server.request("GET", "/metrics");
  assert.match(text, /^setpoint_spans_exported_total [1-9]/m);
  assert.match(text, /^setpoint_spans_dropped_total 0$/m);
});

test("a request that fails by its own fault is a span without an error", async () => {
  const id = "5bf92f3577b34da6a3ce929d0e0e4736";
  const headers = { traceparent: `00-${id}-${clientSpan}-01` };
  assert.equal((await server.request("GET", `${callers}/none`, undefined, headers)).status, 404);
  const found = () => collector.spans.find((span) => span.traceId === id);
  await waitUntil("the span", () => found() !== undefined);
  assert.deepEqual([found()?.name, found()?.isFailed], ["GET kube", false]);
});

function commits(): readonly CollectedSpan[] {
  return ofTrace().filter(({ name }) => name === "commit");
}

async function history() {
  const key = { kind: "callers.tracing.tests.dev", namespace: "default", name: "one" };
  return await server.store.history(key);
}

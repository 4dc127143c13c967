/**
 * Connects what a server does to traces: each request, each commit, each run of a reconciler and
 * each call of an external system is a span, exported over OTLP/HTTP. Without an endpoint none of
 * this exists, and no code on the way of a request asks for it.
 *
 * A request, a commit inside of it, and a call inside of a run are parents and children by the flow
 * of the program. A run starts later and maybe in another process, so its parent is found by a
 * number: the id of the span of a commit is derived from the trace and the revision, that of a run
 * from the trace and the token of its claim (telemetry/spans.ts).
 */
import { hostname } from "node:os";
import { httpWith } from "../adapters/http/client.ts";
import type { HttpRequest } from "../adapters/http/port.ts";
import type { PortSpan, SpanPort } from "../engine/reporting/tracer.ts";
import { isSetpointError } from "../kernel/errors.ts";
import { formatTraceparent, parseTraceparent } from "../kernel/trace-context.ts";
import type { Answer, Store, Write } from "../store/port.ts";
import { traceparentOf } from "../surfaces/http/trace.ts";
import type { RequestTrace } from "../surfaces/http/trace.ts";
import type { Logger } from "../telemetry/log.ts";
import type { Gauge } from "../telemetry/metrics.ts";
import { createSpanExporter } from "../telemetry/span-exporter.ts";
import { createSpans, derivedSpanId } from "../telemetry/spans.ts";
import type { OpenSpan, SpanAttributes, Spans, SpanStart } from "../telemetry/spans.ts";
import type { Surroundings } from "./control-plane.ts";
import type { TracingConfig } from "./tracing-config.ts";
import { wrapped } from "./watch-store.ts";

export interface Tracing extends AsyncDisposable {
  /** For the request pipeline. */
  readonly requests: RequestTrace;
  /** For the engine. */
  readonly runs: SpanPort;
  /** The same store, whose commits are spans. */
  traced(store: Store): Store;
  /** For /metrics. */
  counters(): readonly Gauge[];
}

export interface TracingInput {
  readonly config: TracingConfig;
  readonly surroundings: Pick<Surroundings, "clock" | "random" | "timers">;
  readonly log: Logger;
}

export function startTracing({ config, surroundings, log }: TracingInput): Tracing {
  const { url, ratio, propagates } = config;
  const { clock, random, timers } = surroundings;
  const headers = { ...config.headers, "content-type": "application/json" };
  const http = httpWith(timers)({ maxConnections: 1 });
  const exporter = createSpanExporter({
    timers,
    log,
    resource: { "service.name": "setpoint", "host.name": hostname(), "process.pid": process.pid },
    send: async (body, signal) => {
      const result = await http.send({ ...collectorAt(url), headers, body, signal });
      if (result.kind === "answer") return result.status;
      signal.throwIfAborted();
      throw result.cause ?? new Error(result.message);
    },
  });
  const spans = createSpans({
    clock,
    random,
    ratio,
    elapsedMs: () => performance.now(),
    onEnd: (span) => exporter.add(span),
  });
  return {
    requests: requestSpans(spans),
    runs: runSpans(spans, propagates),
    traced: (store) =>
      Object.assign(
        wrapped(store, (_name, call) => call),
        { commit: tracedCommit(spans, store) },
      ),
    counters: () => [
      counter("setpoint_spans_exported_total", "Spans sent to the collector.", exporter.exported),
      counter("setpoint_spans_dropped_total", "Spans that were not sent.", exporter.dropped),
    ],
    [Symbol.asyncDispose]: async () => {
      await exporter[Symbol.asyncDispose]();
      http[Symbol.dispose]();
    },
  };
}

/** The answer of a collector says little; only its status is used. */
const maxAnswerBytes = 65_536;

function collectorAt(
  url: string,
): Pick<HttpRequest, "place" | "target" | "method" | "timeouts" | "maxBytes"> {
  const { origin, pathname, search } = new URL(url);
  return {
    place: { kind: "origin", origin },
    target: `${pathname}${search}`,
    method: "POST",
    // The exporter aborts an attempt that takes too long.
    timeouts: {},
    maxBytes: maxAnswerBytes,
  };
}

function counter(name: string, help: string, value: number): Gauge {
  return { name, help, kind: "counter", value };
}

function requestSpans(spans: Spans): RequestTrace {
  return {
    begin: ({ surface, exchange, ids }) => {
      const { method, url, headers } = exchange;
      const [path = ""] = url.split("?", 1);
      const span = spans.start({
        name: `${method} ${surface}`,
        kind: "server",
        traceId: ids.trace,
        parentSpanId: parseTraceparent(traceparentOf(headers))?.spanId,
        attributes: {
          "http.request.method": method,
          "url.path": path,
          "setpoint.surface": surface,
          "setpoint.request_id": ids.request,
          "setpoint.correlation_id": ids.correlation,
        },
      });
      if (span === undefined) return undefined;
      return {
        run: (inside) => spans.within(span, inside),
        end: (status) => {
          const attributes = { "http.response.status_code": status };
          span.end({ attributes, error: status >= 500 ? `status ${status}` : undefined });
        },
      };
    },
  };
}

/** Spans of runs and of what happens inside of them. */
function runSpans(spans: Spans, propagates: boolean): SpanPort {
  return {
    within: async (span, inside) => {
      const open = spans.start(startOf(spans, span));
      if (open === undefined) return await inside();
      return await ended(open, () => spans.within(open, inside));
    },
    traceparent: () => {
      const current = propagates ? spans.current() : undefined;
      return current === undefined ? undefined : formatTraceparent(current);
    },
  };
}

function startOf(spans: Spans, { name, kind, about }: PortSpan): SpanStart {
  const attributes: SpanAttributes = Object.fromEntries(
    Object.entries(about)
      .filter(([fact]) => fact !== "trace")
      .map(([fact, value]) => [`setpoint.${fact}`, value]),
  );
  const current = spans.current();
  if (current !== undefined) {
    const { traceId, spanId: parentSpanId } = current;
    return { name, kind, traceId, parentSpanId, attributes };
  }
  const { trace: traceId = "", run = "0", change } = about;
  const parentSpanId =
    change === undefined ? undefined : derivedSpanId(traceId, "commit", Number(change));
  const spanId = derivedSpanId(traceId, "run", Number(run));
  return { name, kind, traceId, parentSpanId, spanId, attributes };
}

/** The name of an error is shown, and its message only where it is known to hold no secret. */
async function ended<T>(span: OpenSpan, inside: () => Promise<T>): Promise<T> {
  try {
    const result = await inside();
    span.end();
    return result;
  } catch (error) {
    span.end({ error: isSetpointError(error) ? error.code : nameOf(error) });
    throw error;
  }
}

function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : typeof error;
}

type Commit = Store["commit"];

function tracedCommit(spans: Spans, store: Store): Commit {
  const commit = store.commit.bind(store);
  return async (writes, ...options) => {
    const started = commitStart(spans, store, writes);
    const span = started === undefined ? undefined : spans.start(started);
    if (span === undefined) return await commit(writes, ...options);
    try {
      const answers = await commit(writes, ...options);
      span.end(commitEnd(span.context.traceId, answers));
      return answers;
    } catch (error) {
      span.end({ error: isSetpointError(error) ? error.code : nameOf(error) });
      throw error;
    }
  };
}

/** Undefined for a commit that belongs to no trace, such as housekeeping. */
function commitStart(
  spans: Spans,
  { engine }: Store,
  writes: readonly Write[],
): SpanStart | undefined {
  const caused = writes.find((write) => write.kind !== "schedule");
  const traceId = caused?.cause.traceId;
  if (caused === undefined || traceId === undefined) return undefined;
  const { claim } = caused;
  const current = spans.current();
  const parentSpanId =
    current?.traceId === traceId
      ? current.spanId
      : claim && derivedSpanId(traceId, "run", claim.token);
  const attributes = { "db.system.name": engine, "setpoint.writes": writes.length };
  return { name: "commit", kind: "client", traceId, parentSpanId, attributes };
}

function commitEnd(traceId: string, answers: readonly Answer[]): Parameters<OpenSpan["end"]>[0] {
  const refused = answers.find((answer) => answer.kind === "refused");
  const committed = answers.find((answer) => answer.kind === "committed");
  const error = refused?.kind === "refused" ? refused.error.code : undefined;
  if (committed?.kind !== "committed") return { error };
  const { revision } = committed;
  const spanId = derivedSpanId(traceId, "commit", revision);
  return { error, spanId, attributes: { "setpoint.revision": revision } };
}

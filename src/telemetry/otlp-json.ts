// Spans in the JSON form of OTLP, the protocol of OpenTelemetry: the body of a POST to /v1/traces.

import type { EndedSpan, SpanAttributes, SpanKind } from "./spans.ts";

const kinds: Readonly<Record<SpanKind, number>> = { internal: 1, server: 2, client: 3 };
const errorStatus = 2;
const scope = { name: "setpoint" };
/** Longer texts are cut. */
const maxTextChars = 1_024;

/** An ExportTraceServiceRequest. `resource` describes this process. */
export function otlpJson(resource: SpanAttributes, spans: readonly EndedSpan[]): string {
  return JSON.stringify({
    resourceSpans: [
      {
        resource: { attributes: attributesOf(resource) },
        scopeSpans: [{ scope, spans: spans.map(spanOf) }],
      },
    ],
  });
}

function spanOf(span: EndedSpan): object {
  const { traceId, spanId, parentSpanId, name, kind, startMs, durationMs, error } = span;
  return {
    traceId,
    spanId,
    ...(parentSpanId !== undefined && { parentSpanId }),
    name: name.slice(0, maxTextChars),
    kind: kinds[kind],
    startTimeUnixNano: nanos(startMs),
    endTimeUnixNano: nanos(startMs + durationMs),
    attributes: attributesOf(span.attributes),
    ...(error !== undefined && {
      status: { code: errorStatus, message: error.slice(0, maxTextChars) },
    }),
  };
}

function attributesOf(attributes: SpanAttributes): readonly object[] {
  return Object.entries(attributes).map(([key, value]) => ({ key, value: valueOf(value) }));
}

/** 64-bit integers are texts in the JSON of protobuf. */
function valueOf(value: string | number | boolean): object {
  if (typeof value === "string") return { stringValue: value.slice(0, maxTextChars) };
  if (typeof value === "boolean") return { boolValue: value };
  return Number.isSafeInteger(value) ? { intValue: String(value) } : { doubleValue: value };
}

/** Nanoseconds as a text: the number has more digits than a double keeps. */
function nanos(ms: number): string {
  const whole = Math.floor(ms);
  const rest = Math.min(999_999, Math.round((ms - whole) * 1_000_000));
  return `${whole}${String(rest).padStart(6, "0")}`;
}

// Spans: what the process did, when, and as part of which trace. The code that runs inside of a
// span finds it by the flow of the program, so nothing has to be passed along. Whether a trace is
// recorded depends on its id alone: every process decides the same about the same trace.

import { AsyncLocalStorage } from "node:async_hooks";
import type { Clock } from "../kernel/clock.ts";
import type { Random } from "../kernel/random.ts";
import { newSpanId } from "../kernel/trace-context.ts";
import type { TraceContext } from "../kernel/trace-context.ts";

export type SpanKind = "internal" | "server" | "client";
export type SpanAttributes = Readonly<Record<string, string | number | boolean>>;

export interface EndedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string | undefined;
  readonly name: string;
  readonly kind: SpanKind;
  /** Milliseconds since the Unix epoch. */
  readonly startMs: number;
  readonly durationMs: number;
  readonly attributes: SpanAttributes;
  /** What failed, without a secret; undefined: nothing did. */
  readonly error: string | undefined;
}

export interface SpanStart {
  readonly name: string;
  readonly kind: SpanKind;
  readonly traceId: string;
  readonly parentSpanId?: string | undefined;
  /** A new one when left out. */
  readonly spanId?: string | undefined;
  readonly attributes?: SpanAttributes;
}

export interface SpanEnd {
  /** For a span whose id is known only at its end. It must have no spans inside. */
  readonly spanId?: string;
  readonly attributes?: SpanAttributes;
  readonly error?: string | undefined;
}

export interface OpenSpan {
  readonly context: TraceContext;
  end(end?: SpanEnd): void;
}

export interface Spans {
  /** Undefined when the trace is not recorded. */
  start(span: SpanStart): OpenSpan | undefined;
  /** The span that the running code is in. */
  current(): TraceContext | undefined;
  within<T>(span: OpenSpan, inside: () => T): T;
}

export interface SpansInput {
  readonly clock: Clock;
  readonly random: Random;
  /** A clock that is never set, in milliseconds with fractions. */
  readonly elapsedMs: () => number;
  /** The share of traces that is recorded, from 0 to 1. */
  readonly ratio: number;
  readonly onEnd: (span: EndedSpan) => void;
}

export function createSpans({ clock, random, elapsedMs, ratio, onEnd }: SpansInput): Spans {
  const running = new AsyncLocalStorage<TraceContext>();
  return {
    start: ({ name, kind, traceId, parentSpanId, spanId, attributes = {} }) => {
      if (!isRecorded(traceId, ratio)) return undefined;
      const context = { traceId, spanId: spanId ?? newSpanId(random), isSampled: true };
      const startMs = clock.nowMs();
      const fromMs = elapsedMs();
      let isOpen = true;
      return {
        context,
        end: ({ spanId: own = context.spanId, attributes: more, error } = {}) => {
          if (!isOpen) return;
          isOpen = false;
          const durationMs = Math.max(0, elapsedMs() - fromMs);
          const all = more === undefined ? attributes : { ...attributes, ...more };
          const identity = { traceId, spanId: own, parentSpanId, name, kind };
          onEnd({ ...identity, startMs, durationMs, attributes: all, error });
        },
      };
    },
    current: () => running.getStore(),
    within: (span, inside) => running.run(span.context, inside),
  };
}

/** As TraceIdRatioBased of OpenTelemetry: by the last digits, which are the random ones. */
export function isRecorded(traceId: string, ratio: number): boolean {
  if (ratio >= 1) return true;
  const place = Number.parseInt(traceId.slice(-13), 16);
  return place < ratio * 2 ** 52;
}

/**
 * The id of a span that another process has to find by a number: the commit of a revision, the run
 * of a claim. Neither has to store it.
 */
export function derivedSpanId(traceId: string, what: "commit" | "run", count: number): string {
  const salt = what === "commit" ? 0 : 0x5e7b0147;
  const high = Number.parseInt(traceId.slice(0, 8), 16) ^ Math.floor(count / 2 ** 32) ^ salt;
  const low = Number.parseInt(traceId.slice(8, 16), 16) ^ (count % 2 ** 32);
  const id = hex(high) + hex(low);
  return id === "0".repeat(16) ? "f".repeat(16) : id;
}

function hex(word: number): string {
  return (word >>> 0).toString(16).padStart(8, "0");
}

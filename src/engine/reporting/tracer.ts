// Measures parts of runs. Spans nest by the flow of the code, so nothing has to be handed around;
// what a span is about (the run, the trace of the request that began it) holds for all inside. Each
// tells its length in the log at debug level; those that are slow are counted as well.

import { AsyncLocalStorage } from "node:async_hooks";
import type { Clock } from "../../kernel/clock.ts";
import { annotations } from "../../kernel/annotations.ts";
import { getOwn } from "../../kernel/json.ts";
import type { Resource, ResourceKey } from "../../kernel/resource.ts";
import { parseTraceparent } from "../../kernel/trace-context.ts";
import { metric } from "./metric-names.ts";
import type { Meter } from "../ports.ts";
import type { RunLog, SpanFacts, Tracer } from "../reconciler.ts";

export interface TracerInput {
  readonly clock: Clock;
  readonly log: Pick<RunLog, "debug">;
  readonly meter: Meter;
  /** Exports spans. Left out: they are only logged and counted. */
  readonly spans?: SpanPort | undefined;
}

/** What exports the spans of runs; see app/tracing.ts. */
export interface SpanPort {
  /** Runs the code as a part of the span that is around it, or of the run that `about` names. */
  within<T>(span: PortSpan, inside: () => Promise<T>): Promise<T>;
  /** The header for calls of external systems from the running code; undefined: send none. */
  traceparent(): string | undefined;
}

export interface PortSpan {
  readonly name: string;
  readonly kind: "internal" | "client";
  readonly about: SpanFacts;
}

interface Frame {
  /** The names of the spans around it and its own. */
  readonly path: string;
  readonly about: SpanFacts;
}

const slowMs = 1_000;
const maxPathChars = 256;
const nothing: SpanFacts = {};

export function createTracer({ clock, log, meter, spans }: TracerInput): Tracer {
  const frames = new AsyncLocalStorage<Frame>();
  const exported = <T>(name: string, about: SpanFacts, inside: () => Promise<T>) =>
    spans === undefined ? inside : () => spans.within({ name, kind: "internal", about }, inside);
  return {
    ...(spans !== undefined && exporting(spans)),
    span: async (name, inside, about) => {
      const frame = frameWithin(frames.getStore(), name, about);
      const startedMs = clock.nowMs();
      let hasFailed = true;
      try {
        const result = await frames.run(frame, exported(name, frame.about, inside));
        hasFailed = false;
        return result;
      } finally {
        const tookMs = Math.max(0, clock.nowMs() - startedMs);
        log.debug({ ...frame.about, span: frame.path, tookMs, hasFailed }, "span ended");
        if (tookMs >= slowMs) meter.count(metric.slowSpans, { span: name });
      }
    },
  };
}

function exporting(spans: SpanPort): Pick<Tracer, "traceparent" | "call"> {
  return {
    traceparent: () => spans.traceparent(),
    call: (system, inside) =>
      spans.within({ name: `call ${system}`, kind: "client", about: { system } }, inside),
  };
}

/** By which all that a run does can be found. The token is of no other run. */
export function factsOfRun({ key, claim, traceId, wokenBy }: TracedRun): SpanFacts {
  const { kind, namespace, name } = key;
  const facts = { run: String(claim.token), kind, namespace, name, trace: traceId };
  return wokenBy === undefined ? facts : { ...facts, change: String(wokenBy) };
}

export interface TracedRun {
  readonly key: ResourceKey;
  readonly claim: { readonly token: number };
  readonly traceId: string;
  /** The revision of the change whose trace the run continues. */
  readonly wokenBy: number | undefined;
}

/**
 * The id of the trace that a request left on the resource, in the form of W3C's traceparent, so
 * that what is done later can be tied to what asked for it.
 */
export function traceOf({ metadata }: Resource): string | undefined {
  const given = metadata.annotations && getOwn(metadata.annotations, annotations.traceparent);
  if (typeof given !== "string") return undefined;
  return parseTraceparent(given)?.traceId;
}

function frameWithin(parent: Frame | undefined, name: string, about = nothing): Frame {
  if (parent === undefined) return { path: name, about };
  const path = `${parent.path}/${name}`.slice(-maxPathChars);
  return { path, about: about === nothing ? parent.about : { ...parent.about, ...about } };
}

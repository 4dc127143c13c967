// Measures parts of runs. Spans nest by the flow of the code, so nothing has to be handed around;
// what a span is about (the run, the trace of the request that began it) holds for all inside. Each
// tells its length in the log at debug level; those that are slow are counted as well.

import { AsyncLocalStorage } from "node:async_hooks";
import type { Clock } from "../../kernel/clock.ts";
import { annotations } from "../../kernel/annotations.ts";
import { getOwn } from "../../kernel/json.ts";
import type { Resource, ResourceKey } from "../../kernel/resource.ts";
import { metric } from "./metric-names.ts";
import type { Meter } from "../ports.ts";
import type { RunLog, SpanFacts, Tracer } from "../reconciler.ts";

export interface TracerInput {
  readonly clock: Clock;
  readonly log: Pick<RunLog, "debug">;
  readonly meter: Meter;
}

interface Frame {
  /** The names of the spans around it and its own. */
  readonly path: string;
  readonly about: SpanFacts;
}

const slowMs = 1_000;
const maxPathChars = 256;
const nothing: SpanFacts = {};

export function createTracer({ clock, log, meter }: TracerInput): Tracer {
  const frames = new AsyncLocalStorage<Frame>();
  return {
    span: async (name, inside, about) => {
      const frame = frameWithin(frames.getStore(), name, about);
      const startedMs = clock.nowMs();
      let hasFailed = true;
      try {
        const result = await frames.run(frame, inside);
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

/** By which all that a run does can be found. The token is of no other run. */
export function factsOfRun(key: ResourceKey, token: number, resource: Resource): SpanFacts {
  const { kind, namespace, name } = key;
  const run = { run: String(token), kind, namespace, name };
  const trace = traceOf(resource);
  return trace === undefined ? run : { ...run, trace };
}

/**
 * The id of the trace that a request left on the resource, in the form of W3C's traceparent, so
 * that what is done later can be tied to what asked for it.
 */
export function traceOf({ metadata }: Resource): string | undefined {
  const given = metadata.annotations && getOwn(metadata.annotations, annotations.traceparent);
  if (typeof given !== "string") return undefined;
  const [, trace] = /^[0-9a-f]{2}-([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}$/.exec(given) ?? [];
  return trace === undefined || /^0+$/.test(trace) ? undefined : trace;
}

function frameWithin(parent: Frame | undefined, name: string, about = nothing): Frame {
  if (parent === undefined) return { path: name, about };
  const path = `${parent.path}/${name}`.slice(-maxPathChars);
  return { path, about: about === nothing ? parent.about : { ...parent.about, ...about } };
}

// Counts the requests of all surfaces, and serves the metrics of the process at /metrics.

import { limits } from "../kernel/limits.ts";
import type { Exchange } from "../surfaces/http/exchange.ts";
import type { RequestMetrics } from "../surfaces/http/metrics.ts";
import type { PathHandler } from "../surfaces/kube/api.ts";
import { createMetrics } from "../telemetry/metrics.ts";
import type { Gauge } from "../telemetry/metrics.ts";
import type { ControlPlane } from "./control-plane.ts";
import type { StoreState } from "./watch-store.ts";

export interface ObservedRequests {
  readonly requests: RequestMetrics;
  /** Serves /metrics. */
  readonly path: PathHandler;
}

type Observed = Pick<ControlPlane, "intents" | "feed" | "hub" | "meter" | "recent">;

/** `measure` updates the gauges that are computed on demand; called before each answer. */
export function observeRequests(
  { intents, feed, hub, meter, recent }: Observed,
  measure: () => Promise<void>,
  storeState: StoreState,
  more: () => readonly Gauge[] = () => [],
): ObservedRequests {
  const { clock } = intents;
  const metrics = createMetrics();
  const startedMs = clock.nowMs();
  const show = async (exchange: Exchange): Promise<true> => {
    await measure();
    const headers = {
      "content-type": "text/plain; version=0.0.4; charset=utf-8",
      "cache-control": "no-cache, private",
    };
    const isWritable = storeState.writeProblem() === undefined;
    const own = [
      gauge(
        "setpoint_store_writable",
        "1 while the store accepts writes, otherwise 0.",
        isWritable ? 1 : 0,
      ),
      gauge("setpoint_watchers", "Open watches.", hub.watchers),
      gauge(
        "setpoint_watch_queue_bytes",
        "Bytes of changes that wait to be delivered to watches.",
        hub.queuedBytes,
      ),
      {
        ...gauge("setpoint_watch_frames_total", "Watch events encoded.", hub.frames.made),
        kind: "counter",
      } as const,
      gauge("setpoint_revision", "The newest revision that this process has read.", feed.position),
    ];
    const text = metrics.text([...processGauges(startedMs), ...own, ...more()]) + meter.text();
    exchange.send(200, headers, text);
    return true;
  };
  return {
    requests: {
      started: () => {
        metrics.started();
        return clock.nowMs();
      },
      finished: (fromMs, labels, status) => {
        const { group, version, resource, subresource, verb, surface, route } = labels;
        const durationMs = clock.nowMs() - fromMs;
        // What takes longer than a request may is a stream, and the page is not the API.
        const isStream = verb === "watch" || durationMs > limits.requestTimeoutMs;
        if (surface !== "console") recent.request(status, isStream ? undefined : durationMs);
        metrics.finished({
          group,
          version,
          resource,
          subresource,
          surface,
          route,
          verb: verbs.get(verb) ?? "OTHER",
          code: status,
          durationMs,
        });
      },
    },
    path: (exchange, { path }) => {
      if (path !== "/metrics" || !["GET", "HEAD"].includes(exchange.method)) return false;
      return show(exchange);
    },
  };
}

const verbs: ReadonlyMap<string, string> = new Map([
  ["get", "GET"],
  ["list", "LIST"],
  ["watch", "WATCH"],
  ["create", "POST"],
  ["post", "POST"],
  ["update", "PUT"],
  ["put", "PUT"],
  ["patch", "PATCH"],
  ["delete", "DELETE"],
  ["deletecollection", "DELETECOLLECTION"],
]);

function processGauges(startedMs: number): readonly Gauge[] {
  const { user, system } = process.cpuUsage();
  const { rss, heapUsed } = process.memoryUsage();
  const cpu = { name: "process_cpu_seconds_total", kind: "counter" } as const;
  return [
    { ...cpu, help: "Total user and system CPU time in seconds.", value: (user + system) / 1e6 },
    gauge("process_resident_memory_bytes", "Resident memory in bytes.", rss),
    gauge("process_heap_bytes", "Heap memory in use in bytes.", heapUsed),
    gauge(
      "process_start_time_seconds",
      "Start time of the process since the Unix epoch in seconds.",
      Math.floor(startedMs / 1_000),
    ),
  ];
}

function gauge(name: string, help: string, value: number): Gauge {
  return { name, help, kind: "gauge", value };
}

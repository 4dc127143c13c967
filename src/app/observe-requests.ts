// Counts what is asked and answered, and shows it at /metrics with the state of the process.

import type { ArmApiInput } from "../surfaces/arm/arm-api.ts";
import type { Exchange } from "../surfaces/http/exchange.ts";
import type { KubeApiInput, PathHandler } from "../surfaces/kube/api.ts";
import { createMetrics } from "../telemetry/metrics.ts";
import type { Gauge } from "../telemetry/metrics.ts";
import type { ControlPlane } from "./control-plane.ts";
import type { StoreState } from "./watch-store.ts";

export interface ObservedRequests {
  readonly onRequest: NonNullable<KubeApiInput["onRequest"]>;
  readonly onArmRequest: NonNullable<ArmApiInput["onRequest"]>;
  /** Serves /metrics. */
  readonly path: PathHandler;
}

type Observed = Pick<ControlPlane, "intents" | "feed" | "hub" | "meter">;

/** `measure` brings numbers up to date that nobody keeps; it is called before each look at all. */
export function observeRequests(
  { intents, feed, hub, meter }: Observed,
  measure: () => Promise<void>,
  storeState: StoreState,
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
      gauge("setpoint_store_writable", "0 while writes are refused, else 1.", isWritable ? 1 : 0),
      gauge("setpoint_watchers", "Watches that are open.", hub.watchers),
      gauge("setpoint_revision", "The revision that all followers know.", feed.position),
    ];
    const text = metrics.text([...processGauges(startedMs), ...own]) + meter.text();
    exchange.send(200, headers, text);
    return true;
  };
  return {
    onRequest: () => {
      const fromMs = clock.nowMs();
      metrics.started();
      return ({ status, info, isKnown }) => {
        const { group, version, resource, subresource } = info ?? nothing;
        metrics.finished({
          // What is not served has no name here: clients could make up any number of them.
          ...(isKnown ? { group, version, resource, subresource } : nothing),
          verb: verbs.get(info?.verb ?? "") ?? "OTHER",
          code: status,
          durationMs: clock.nowMs() - fromMs,
        });
      };
    },
    onArmRequest: () => {
      const fromMs = clock.nowMs();
      metrics.started();
      return ({ group, version, resource, subresource, verb, route }, status) => {
        metrics.finished({
          group,
          version,
          resource,
          subresource,
          verb: verbs.get(verb) ?? "OTHER",
          code: status,
          durationMs: clock.nowMs() - fromMs,
          surface: "arm",
          route,
        });
      };
    },
    path: (exchange, { path }) => {
      if (path !== "/metrics" || !["GET", "HEAD"].includes(exchange.method)) return false;
      return show(exchange);
    },
  };
}

const nothing = { group: "", version: "", resource: "", subresource: "" };

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
    { ...cpu, help: "Processor time used.", value: (user + system) / 1e6 },
    gauge("process_resident_memory_bytes", "Memory in use.", rss),
    gauge("process_heap_bytes", "Memory in use by objects.", heapUsed),
    gauge("process_start_time_seconds", "When the process began.", Math.floor(startedMs / 1_000)),
  ];
}

function gauge(name: string, help: string, value: number): Gauge {
  return { name, help, kind: "gauge", value };
}

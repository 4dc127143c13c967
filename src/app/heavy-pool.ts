// The pool of threads for heavy work of one server.

import { openThreadPool } from "../adapters/threads/pool.ts";
import type { ThreadPool } from "../adapters/threads/pool.ts";
import { moduleBeside } from "../kernel/module-beside.ts";
import { systemTimers } from "../kernel/timers.ts";
import type { Logger } from "../telemetry/log.ts";
import type { Gauge } from "../telemetry/metrics.ts";

/** For /metrics. */
export function poolGauges(pool: ThreadPool): readonly Gauge[] {
  const { done, refused, lostThreads, waiting } = pool.counts();
  const counter = { kind: "counter" } as const;
  const [jobs, refusals, lost] = [
    "Heavy jobs that a thread has finished.",
    "Heavy jobs that were refused because too many were waiting.",
    "Threads that stopped or were terminated during a heavy job.",
  ];
  return [
    { ...counter, name: "setpoint_heavy_jobs_total", help: jobs, value: done },
    { ...counter, name: "setpoint_heavy_jobs_refused_total", help: refusals, value: refused },
    { ...counter, name: "setpoint_heavy_threads_lost_total", help: lost, value: lostThreads },
    {
      name: "setpoint_heavy_jobs_waiting",
      help: "Heavy jobs that wait for a thread.",
      kind: "gauge",
      value: waiting,
    },
  ];
}

export function openHeavyPool(log: Logger): ThreadPool {
  return openThreadPool({
    entry: moduleBeside(import.meta.url, "heavy-worker"),
    timers: systemTimers,
    onLost: ({ job, tenant, error }) => log.warn({ job, tenant, error }, "thread lost"),
  });
}

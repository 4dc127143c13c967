// The metrics of the module; docs/reference/executors.md describes them.

import type { MetricDefinition } from "../../engine/reporting/metric-names.ts";

export const runsMetric = "setpoint_executor_runs_total";
export const runSecondsMetric = "setpoint_executor_run_seconds";

export const executorMetrics: Readonly<Record<string, MetricDefinition>> = {
  [runsMetric]: {
    kind: "counter",
    help: "Runs of executors that ended.",
    labels: ["executor", "result"],
  },
  [runSecondsMetric]: {
    kind: "histogram",
    help: "Duration of runs of executors.",
    labels: ["executor"],
  },
};

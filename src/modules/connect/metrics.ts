// The metrics of Connect; docs/reference/engine.md describes them.

import type { MetricDefinition } from "../../engine/reporting/metric-names.ts";

export const writesMetric = "setpoint_connect_writes_total";
export const driftMetric = "setpoint_connect_drift_total";

export const connectMetrics: Readonly<Record<string, MetricDefinition>> = {
  [writesMetric]: {
    kind: "counter",
    help: "Write requests sent to connected services.",
    labels: ["kind"],
  },
  [driftMetric]: {
    kind: "counter",
    help: "Objects found changed in a connected service.",
    labels: ["kind"],
  },
};

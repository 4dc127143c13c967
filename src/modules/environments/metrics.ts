// The metrics of the module; docs/reference/environments.md describes them.

import type { MetricDefinition } from "../../engine/reporting/metric-names.ts";

export const operationsMetric = "setpoint_environment_operations_total";
export const operationSecondsMetric = "setpoint_environment_operation_seconds";

export const environmentMetrics: Readonly<Record<string, MetricDefinition>> = {
  [operationsMetric]: {
    kind: "counter",
    help: "Operations of environments that ended.",
    labels: ["type", "phase"],
  },
  [operationSecondsMetric]: {
    kind: "histogram",
    help: "Seconds from the start to the end of an Operation.",
    labels: ["type"],
    buckets: [1, 5, 15, 60, 300, 900, 3_600, 14_400],
  },
};

// The metrics of the module; docs/reference/dns.md describes them.

import type { MetricDefinition } from "../../engine/reporting/metric-names.ts";

export const writesMetric = "setpoint_dns_writes_total";
export const driftMetric = "setpoint_dns_drift_total";

export const dnsMetrics: Readonly<Record<string, MetricDefinition>> = {
  [writesMetric]: {
    kind: "counter",
    help: "Record sets written to DNS servers and deleted from them.",
    labels: ["action"],
  },
  [driftMetric]: {
    kind: "counter",
    help: "DNS records that were found changed or deleted at the server.",
    labels: [],
  },
};

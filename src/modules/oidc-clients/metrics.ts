// The metrics of the module; docs/reference/oidc-clients.md describes them.

import type { MetricDefinition } from "../../engine/reporting/metric-names.ts";

export const writesMetric = "setpoint_oidc_client_writes_total";
export const driftMetric = "setpoint_oidc_client_drift_total";

export const oidcMetrics: Readonly<Record<string, MetricDefinition>> = {
  [writesMetric]: {
    kind: "counter",
    help: "Clients registered, updated and deleted at OpenID providers.",
    labels: ["action"],
  },
  [driftMetric]: {
    kind: "counter",
    help: "Clients that were found changed or deleted at the provider.",
    labels: [],
  },
};

// The metrics of the module. Labels have few values: never a name of a tenant's resource.

import type { MetricDefinition } from "../../engine/reporting/metric-names.ts";

export const deploymentsMetric = "setpoint_gitops_deployments";
export const failuresMetric = "setpoint_gitops_deployment_failures";
export const operationsMetric = "setpoint_gitops_operations";
export const syncsMetric = "setpoint_gitops_syncs_total";
export const syncSecondsMetric = "setpoint_gitops_sync_seconds";
export const fetchesMetric = "setpoint_gitops_fetches_total";
export const fetchSecondsMetric = "setpoint_gitops_fetch_seconds";
export const cacheBytesMetric = "setpoint_gitops_cache_bytes";
export const rendersMetric = "setpoint_gitops_renders_total";
export const renderSecondsMetric = "setpoint_gitops_render_seconds";
export const webhooksMetric = "setpoint_gitops_webhooks_total";
export const appliedMetric = "setpoint_gitops_objects_total";

export const gitopsMetrics: Readonly<Record<string, MetricDefinition>> = {
  [deploymentsMetric]: {
    kind: "gauge",
    help: "GitOpsDeployments, by the status of their sync and health.",
    labels: ["sync", "health"],
  },
  [failuresMetric]: {
    kind: "gauge",
    help: "GitOpsDeployments whose condition ErrorOccurred is True.",
    labels: [],
  },
  [operationsMetric]: { kind: "gauge", help: "Operations, by their state.", labels: ["state"] },
  [syncsMetric]: {
    kind: "counter",
    help: "Syncs that ended.",
    labels: ["trigger", "phase"],
  },
  [syncSecondsMetric]: {
    kind: "histogram",
    help: "Seconds from the start to the end of a sync.",
    labels: ["trigger"],
    buckets: [0.1, 0.5, 1, 5, 15, 60, 300, 900, 3_600],
  },
  [fetchesMetric]: {
    kind: "counter",
    help: "Comparisons with git repositories: unchanged, fetched or failed.",
    labels: ["result"],
  },
  [fetchSecondsMetric]: {
    kind: "histogram",
    help: "Seconds of calls to git hosts.",
    labels: ["call"],
  },
  [cacheBytesMetric]: { kind: "gauge", help: "Bytes of the caches of repositories.", labels: [] },
  [rendersMetric]: {
    kind: "counter",
    help: "Rendered trees: cached, rendered or refused.",
    labels: ["tool", "result"],
  },
  [renderSecondsMetric]: {
    kind: "histogram",
    help: "Seconds of one rendering.",
    labels: ["tool"],
  },
  [webhooksMetric]: {
    kind: "counter",
    help: "Webhooks received: accepted, unsigned, invalid or limited.",
    labels: ["provider", "result"],
  },
  [appliedMetric]: {
    kind: "counter",
    help: "Objects of syncs: created, updated, unchanged, pruned, held or failed.",
    labels: ["result"],
  },
};

// The metrics of the fleet. The names and meanings are those of fleet managers, with the label
// `offering` in place of the name of the product; docs/reference/fleet-metrics.md maps them. No
// label has a value that grows with the number of instances.

import type { MetricDefinition } from "../../engine/reporting/metric-names.ts";

export const fleetMetric = {
  operations: "fleet_manager_operations_total_count",
  operationSuccesses: "fleet_manager_operations_success_count",
  operationSeconds: "fleet_manager_worker_duration",
  statusCount: "fleet_manager_requests_status_count",
  statusSinceCreated: "fleet_manager_requests_status_since_created_in_seconds",
  perCluster: "fleet_manager_per_cluster_count",
  versions: "fleet_manager_version",
  clusterOperations: "fleet_manager_cluster_operations_total_count",
  clusterOperationSuccesses: "fleet_manager_cluster_operations_success_count",
  clusterOperationSeconds: "fleet_manager_worker_cluster_duration",
  clusterStatusCount: "fleet_manager_cluster_status_count",
  clusterStatusSinceCreated: "fleet_manager_cluster_status_since_created_in_seconds",
  capacityMax: "fleet_manager_cluster_status_capacity_max",
  capacityUsed: "fleet_manager_cluster_status_capacity_used",
  leader: "fleet_manager_leader_worker",
  probeRuns: "fleet_manager_probe_runs_total",
  probeSeconds: "fleet_manager_probe_duration_seconds",
  probeLastSuccess: "fleet_manager_probe_last_success_timestamp_seconds",
  scalingDecisions: "fleet_manager_scaling_decisions_total",
  removalsHeld: "fleet_manager_removals_held_total",
  observatoriumRequests: "fleet_manager_observatorium_request_count",
  observatoriumSeconds: "fleet_manager_observatorium_request_duration",
} as const;

export type FleetMetric = (typeof fleetMetric)[keyof typeof fleetMetric];

/** From a second to a day: an instance is ready within minutes, and may be deleted after years. */
const ageBuckets = [1, 5, 15, 30, 60, 120, 300, 600, 1_800, 3_600, 14_400, 86_400];

const requestLabels = ["offering", "code", "method", "path"] as const;

export const fleetMetrics: Readonly<Record<FleetMetric, MetricDefinition>> = {
  fleet_manager_operations_total_count: counter(
    "Operations on instances that ended, with any result.",
    "offering",
    "operation",
  ),
  fleet_manager_operations_success_count: counter(
    "Operations on instances that succeeded.",
    "offering",
    "operation",
  ),
  fleet_manager_worker_duration: ages(
    "Duration of operations on instances that succeeded.",
    "offering",
    "jobType",
  ),
  fleet_manager_removals_held_total: counter(
    "Attempts to remove an instance without a request that exceeded the bound of an hour.",
    "offering",
  ),
  fleet_manager_requests_status_count: gauge("Instances by status.", "offering", "status"),
  fleet_manager_requests_status_since_created_in_seconds: ages(
    "Age of instances when they reach a status.",
    "offering",
    "status",
  ),
  fleet_manager_per_cluster_count: gauge(
    "Instances that are placed on a cluster.",
    "offering",
    "cluster_id",
  ),
  fleet_manager_version: gauge(
    "Instances by version: actual, desired, or being upgraded to.",
    "offering",
    "component",
    "type",
    "version",
  ),
  fleet_manager_cluster_operations_total_count: counter(
    "Operations on clusters that ended, with any result.",
    "operation",
  ),
  fleet_manager_cluster_operations_success_count: counter(
    "Operations on clusters that succeeded.",
    "operation",
  ),
  fleet_manager_worker_cluster_duration: ages(
    "Duration of operations on clusters that succeeded.",
    "jobType",
  ),
  fleet_manager_cluster_status_count: gauge("Clusters by status.", "status"),
  fleet_manager_cluster_status_since_created_in_seconds: ages(
    "Age of clusters when they reach a status.",
    "status",
  ),
  fleet_manager_cluster_status_capacity_max: gauge(
    "Units that a cluster may host, where it has a limit.",
    "region",
    "instance_type",
    "cluster_id",
  ),
  fleet_manager_cluster_status_capacity_used: gauge(
    "Units that are placed on a cluster.",
    "region",
    "instance_type",
    "cluster_id",
  ),
  fleet_manager_probe_runs_total: counter(
    "Instances of Probes that were created and verified, or not.",
    "offering",
    "region",
    "result",
  ),
  fleet_manager_probe_duration_seconds: ages(
    "Time until an instance of a Probe was verified, or was removed.",
    "offering",
    "region",
    "step",
  ),
  fleet_manager_probe_last_success_timestamp_seconds: gauge(
    "When the last instance of a Probe was verified; 0 before the first.",
    "offering",
    "region",
  ),
  fleet_manager_scaling_decisions_total: counter(
    "Decisions of ScalingRules about clusters, performed or as a dry run.",
    "offering",
    "region",
    "action",
    "dry_run",
  ),
  fleet_manager_observatorium_request_count: counter(
    "Requests to the Prometheus of an Offering.",
    ...requestLabels,
  ),
  fleet_manager_observatorium_request_duration: {
    kind: "histogram",
    help: "Duration of requests to the Prometheus of an Offering.",
    labels: requestLabels,
  },
  fleet_manager_leader_worker: gauge(
    "1 in the process that does the work for all processes, otherwise 0.",
    "worker_type",
  ),
};

function counter(help: string, ...labels: readonly string[]): MetricDefinition {
  return { kind: "counter", help, labels };
}

function gauge(help: string, ...labels: readonly string[]): MetricDefinition {
  return { kind: "gauge", help, labels };
}

function ages(help: string, ...labels: readonly string[]): MetricDefinition {
  return { kind: "histogram", help, labels, buckets: ageBuckets };
}

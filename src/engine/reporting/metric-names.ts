// The metrics of the engine, each with its help text and labels. The names are part of the public
// interface (docs/reference/engine.md). A meter accepts these names and labels only, so that a
// misspelled one is found at once.

/** What a meter must know about a metric. */
export interface MetricDefinition {
  readonly kind: "counter" | "gauge" | "histogram";
  readonly help: string;
  /** In this order. A label that a caller leaves out is empty. */
  readonly labels: readonly string[];
  /** Upper bounds of the buckets of a histogram, ascending; those of short calls when left out. */
  readonly buckets?: readonly number[];
  /** An earlier name, which is shown as well for one release. */
  readonly formerly?: string;
}

export const metric = {
  reconciles: "setpoint_reconciles_total",
  reconcileSeconds: "setpoint_reconcile_duration_seconds",
  startLatencySeconds: "setpoint_reconcile_start_latency_seconds",
  running: "setpoint_reconciles_running",
  queued: "setpoint_reconciles_queued",
  settling: "setpoint_reconciles_settling",
  backlogDue: "setpoint_backlog_due",
  backlogOldestSeconds: "setpoint_backlog_oldest_seconds",
  retries: "setpoint_reconcile_retries_total",
  claimsLost: "setpoint_claims_lost_total",
  renewalsFailed: "setpoint_claim_renewals_failed_total",
  abandoned: "setpoint_runs_abandoned_total",
  abandonedAlive: "setpoint_runs_abandoned_alive",
  leftBehind: "setpoint_stray_errors_total",
  wakeUps: "setpoint_wakeups_total",
  wakeUpsPaced: "setpoint_wakeups_paced_total",
  wakeUpsSkipped: "setpoint_wakeups_skipped_total",
  followerBehind: "setpoint_follower_behind_revisions",
  followerFailures: "setpoint_follower_failures_total",
  breakerState: "setpoint_external_breaker_state",
  externalCalls: "setpoint_external_calls_total",
  externalFailures: "setpoint_external_failures_total",
  externalRefusals: "setpoint_external_refusals_total",
  externalInFlight: "setpoint_external_in_flight",
  externalWaiting: "setpoint_external_waiting",
  eventsRecorded: "setpoint_events_recorded_total",
  eventsDropped: "setpoint_events_dropped_total",
  slowSpans: "setpoint_slow_spans_total",
  moduleStops: "setpoint_module_stops_total",
  moduleUp: "setpoint_module_up",
  loopBlockedSeconds: "setpoint_event_loop_blocked_seconds",
} as const;

export type MetricName = (typeof metric)[keyof typeof metric];

export const engineMetrics: Readonly<Record<MetricName, MetricDefinition>> = {
  setpoint_reconciles_total: counter("Reconcile runs that ended, by outcome.", "kind", "outcome"),
  setpoint_reconcile_duration_seconds: histogram("Duration of reconcile runs.", "kind"),
  setpoint_reconcile_start_latency_seconds: histogram(
    "Time from due to the start of the run.",
    "kind",
  ),
  setpoint_reconciles_running: gauge("Reconcile runs in progress.", "kind"),
  setpoint_reconciles_queued: gauge("Claimed resources that wait for a free slot."),
  setpoint_reconciles_settling: gauge("Runs whose result is being stored."),
  setpoint_backlog_due: gauge("Resources that are due and not claimed.", "kind"),
  setpoint_backlog_oldest_seconds: gauge("How long the oldest due resource has waited.", "kind"),
  setpoint_reconcile_retries_total: counter("Failed runs that are retried.", "kind"),
  setpoint_claims_lost_total: counter("Claims that expired before they were released."),
  setpoint_claim_renewals_failed_total: counter(
    "Failed attempts to renew the claims of this process.",
  ),
  setpoint_runs_abandoned_total: counter("Runs that did not stop after they were aborted.", "kind"),
  setpoint_runs_abandoned_alive: gauge("Abandoned runs that have not returned."),
  setpoint_stray_errors_total: renamed(
    "setpoint_modules_left_behind_total",
    counter("Errors thrown by code that a run left behind.", "kind", "what"),
  ),
  setpoint_wakeups_total: counter(
    "Resources woken by changes of other resources, by cause.",
    "cause",
  ),
  setpoint_wakeups_paced_total: counter("Wakes delayed because the resource was woken too often."),
  setpoint_wakeups_skipped_total: counter("Changes and wakes that could not be read or stored."),
  setpoint_follower_behind_revisions: gauge("Changes whose wakes are not stored yet."),
  setpoint_follower_failures_total: counter("Failed attempts to follow the log.", "code"),
  setpoint_external_breaker_state: renamed(
    "setpoint_outside_breaker_state",
    gauge("0 closed, 1 half-open, 2 open.", "system"),
  ),
  setpoint_external_calls_total: renamed(
    "setpoint_outside_calls_total",
    counter("Calls to an external system.", "system"),
  ),
  setpoint_external_failures_total: renamed(
    "setpoint_outside_failures_total",
    counter("Calls that failed because of the external system.", "system"),
  ),
  setpoint_external_refusals_total: renamed(
    "setpoint_outside_refusals_total",
    counter("Calls that were refused before they were sent, by reason.", "system", "why"),
  ),
  setpoint_external_in_flight: renamed(
    "setpoint_outside_in_flight",
    gauge("Calls in progress.", "system"),
  ),
  setpoint_external_waiting: renamed(
    "setpoint_outside_waiting",
    gauge("Calls that wait for a free slot.", "system"),
  ),
  setpoint_events_recorded_total: counter("Events recorded, repetitions included."),
  setpoint_events_dropped_total: counter("Events that were not recorded, by reason.", "why"),
  setpoint_slow_spans_total: counter("Spans of runs that took one second or more.", "span"),
  setpoint_module_stops_total: counter(
    "Threads of isolated modules that ended, by cause.",
    "module",
    "cause",
  ),
  setpoint_module_up: gauge("1 while the thread of an isolated module runs, else 0.", "module"),
  setpoint_event_loop_blocked_seconds: histogram(
    "Blocks of the event loop of one second or more.",
    "activity",
  ),
};

function counter(help: string, ...labels: readonly string[]): MetricDefinition {
  return { kind: "counter", help, labels };
}

function gauge(help: string, ...labels: readonly string[]): MetricDefinition {
  return { kind: "gauge", help, labels };
}

function histogram(help: string, ...labels: readonly string[]): MetricDefinition {
  return { kind: "histogram", help, labels };
}

function renamed(formerly: string, definition: MetricDefinition): MetricDefinition {
  return { ...definition, formerly };
}

// The numbers that the engine tells, each with what it means and the labels it has. The names are
// part of the product's interface (docs/reference/engine.md); a meter knows these and no others, so
// that a misspelt name or a label nobody thought of cannot grow without anyone noticing.

/** What a meter has to know of a number before it counts the first time. */
export interface MetricDefinition {
  readonly kind: "counter" | "gauge" | "histogram";
  readonly help: string;
  /** In this order; what a caller leaves out is empty, which readers take for absent. */
  readonly labels: readonly string[];
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
  leftBehind: "setpoint_modules_left_behind_total",
  wakeUps: "setpoint_wakeups_total",
  wakeUpsPaced: "setpoint_wakeups_paced_total",
  wakeUpsSkipped: "setpoint_wakeups_skipped_total",
  followerBehind: "setpoint_follower_behind_revisions",
  followerFailures: "setpoint_follower_failures_total",
  breakerState: "setpoint_outside_breaker_state",
  outsideCalls: "setpoint_outside_calls_total",
  outsideFailures: "setpoint_outside_failures_total",
  outsideRefusals: "setpoint_outside_refusals_total",
  outsideInFlight: "setpoint_outside_in_flight",
  outsideWaiting: "setpoint_outside_waiting",
  eventsRecorded: "setpoint_events_recorded_total",
  eventsDropped: "setpoint_events_dropped_total",
  slowSpans: "setpoint_slow_spans_total",
  connectWrites: "setpoint_connect_writes_total",
  connectDrift: "setpoint_connect_drift_total",
} as const;

export type MetricName = (typeof metric)[keyof typeof metric];

export const engineMetrics: Readonly<Record<MetricName, MetricDefinition>> = {
  setpoint_reconciles_total: counter("Runs that ended, by how they did.", "kind", "outcome"),
  setpoint_reconcile_duration_seconds: histogram("Time a reconciler ran.", "kind"),
  setpoint_reconcile_start_latency_seconds: histogram("Time from due to running.", "kind"),
  setpoint_reconciles_running: gauge("Reconcilers that run.", "kind"),
  setpoint_reconciles_queued: gauge("Claimed resources that wait for a slot."),
  setpoint_reconciles_settling: gauge("Runs whose result is being written."),
  setpoint_backlog_due: gauge("Due, and held by no process.", "kind"),
  setpoint_backlog_oldest_seconds: gauge("How long the oldest of these has been due.", "kind"),
  setpoint_reconcile_retries_total: counter("Failed runs to be tried again.", "kind"),
  setpoint_claims_lost_total: counter("Claims that were lost before they were given back."),
  setpoint_claim_renewals_failed_total: counter("Renewals of all claims that failed."),
  setpoint_runs_abandoned_total: counter("Runs that did not end when told to.", "kind"),
  setpoint_runs_abandoned_alive: gauge("Abandoned runs that have not returned yet."),
  setpoint_modules_left_behind_total: counter("Errors where nobody listened.", "kind", "what"),
  setpoint_wakeups_total: counter("Resources woken because of others, by why.", "cause"),
  setpoint_wakeups_paced_total: counter("Wakes put off, as others woke the same one too often."),
  setpoint_wakeups_skipped_total: counter("Changes and wakes that nothing could be made of."),
  setpoint_follower_behind_revisions: gauge("Changes whose wakes are yet to be written."),
  setpoint_follower_failures_total: counter("Tries to follow the log that failed.", "code"),
  setpoint_outside_breaker_state: gauge("0 closed, 1 half-open, 2 open.", "system"),
  setpoint_outside_calls_total: counter("Calls made to a system outside.", "system"),
  setpoint_outside_failures_total: counter("Calls that the system is to blame for.", "system"),
  setpoint_outside_refusals_total: counter("Calls not made, by why.", "system", "why"),
  setpoint_outside_in_flight: gauge("Calls under way.", "system"),
  setpoint_outside_waiting: gauge("Calls that wait for their turn.", "system"),
  setpoint_events_recorded_total: counter("Events written, repetitions among them."),
  setpoint_events_dropped_total: counter("Events not written, by why.", "why"),
  setpoint_slow_spans_total: counter("Parts of runs that took over a second.", "span"),
  setpoint_connect_writes_total: counter("Changes made in services outside.", "kind"),
  setpoint_connect_drift_total: counter("Objects found changed by others.", "kind"),
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

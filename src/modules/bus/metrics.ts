// The metrics of the module; docs/reference/bus.md describes them.

import type { MetricDefinition } from "../../engine/reporting/metric-names.ts";

export const eventsMetric = "setpoint_bus_events_total";
export const lagRevisionsMetric = "setpoint_bus_outbox_lag_revisions";
export const lagSecondsMetric = "setpoint_bus_outbox_lag_seconds";
export const waitingMetric = "setpoint_bus_outbox_waiting_events";
export const lostMetric = "setpoint_bus_events_lost_total";
export const commandsMetric = "setpoint_bus_commands_total";
export const connectedMetric = "setpoint_bus_connected";

export const busMetrics: Readonly<Record<string, MetricDefinition>> = {
  [eventsMetric]: {
    kind: "counter",
    help: "Attempts to publish an event, by outcome: confirmed, returned, refused, lost.",
    labels: ["outcome"],
  },
  [lagRevisionsMetric]: {
    kind: "gauge",
    help: "Revisions of the log that the outbox has not passed. In the process that publishes.",
    labels: [],
  },
  [lagSecondsMetric]: {
    kind: "gauge",
    help: "Age of the oldest change whose events are not confirmed. In the process that publishes.",
    labels: [],
  },
  [waitingMetric]: {
    kind: "gauge",
    help: "Events that the broker returned or refused and that are tried again.",
    labels: [],
  },
  [lostMetric]: {
    kind: "counter",
    help: "Times at which history was compacted before its events were published.",
    labels: [],
  },
  [commandsMetric]: {
    kind: "counter",
    help: "Commands, by outcome: accepted, rejected, repeated, malformed, requeued.",
    labels: ["outcome"],
  },
  [connectedMetric]: {
    kind: "gauge",
    help: "Whether the connection to the broker is open, by use: outbox or inbox.",
    labels: ["use"],
  },
};

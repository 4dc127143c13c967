// The metrics of modules, as their reconcilers see them. Names of the server are refused, so that a
// reconciler cannot change what the server reports about itself.

import type { Meter } from "../ports.ts";
import type { RunMetrics } from "../reconciler.ts";

const ownPrefix = "setpoint_";

export function ownMetrics(meter: Meter): RunMetrics {
  return {
    count: (name, labels, by) => meter.count(checkedMetric(name), labels, by),
    gauge: (name, value, labels) => meter.gauge(checkedMetric(name), value, labels),
    observe: (name, seconds, labels) => meter.observe(checkedMetric(name), seconds, labels),
  };
}

export function checkedMetric(name: string): string {
  if (!name.startsWith(ownPrefix)) return name;
  throw new TypeError(`${name} is a metric of the server; declare a metric in \`metrics\` instead`);
}

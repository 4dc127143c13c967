/** What requests hold at this moment, for /metrics. */
import type { Admissions } from "../surfaces/http/admit.ts";
import type { Gauge } from "../telemetry/metrics.ts";

export function admissionGauges({ held }: Pick<Admissions, "held">): readonly Gauge[] {
  const gauge = (name: string, help: string, value: number): Gauge => {
    return { name: `setpoint_${name}`, help, kind: "gauge", value };
  };
  return [
    gauge("reads_in_progress", "Reads in progress.", held("read")),
    gauge("lists_in_progress", "Lists in progress.", held("list")),
    gauge("writes_in_progress", "Writes in progress whose body has arrived.", held("write")),
    gauge("bodies_in_transit", "Requests whose body is arriving.", held("body")),
    gauge("long_requests", "Watches and other requests without an end.", held("long")),
    gauge("request_bytes_in_flight", "Memory that requests in progress hold.", held("memory")),
  ];
}

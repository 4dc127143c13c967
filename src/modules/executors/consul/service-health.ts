// The health of a service in Consul from the checks of its instances. Pure.

import type { ServiceInstance } from "./client.ts";

export type ConsulHealth = "passing" | "warning" | "critical" | "maintenance" | "absent";

/** The worst check decides. An instance without checks passes. */
export function instanceHealth({ checks }: Pick<ServiceInstance, "checks">): ConsulHealth {
  const isMaintained = checks.some(({ id }) => {
    return id === "_node_maintenance" || id.startsWith("_service_maintenance:");
  });
  if (isMaintained) return "maintenance";
  if (checks.some(({ status }) => status === "critical")) return "critical";
  return checks.some(({ status }) => status === "warning") ? "warning" : "passing";
}

const order: readonly ConsulHealth[] = ["passing", "warning", "critical", "maintenance"];

/** The best instance decides: a service with one passing instance can be used. */
export function serviceHealth(instances: readonly ServiceInstance[]): ConsulHealth {
  const healths = new Set(instances.map(instanceHealth));
  return order.find((health) => healths.has(health)) ?? "absent";
}

/** Shows the health of a service in Consul. A change in Consul wakes it: see follow-services.ts. */
import { done } from "../../../engine/outcome.ts";
import type { Readiness } from "../../../engine/outcome.ts";
import type { Reconciler } from "../../../engine/reconciler.ts";
import type { JsonObject } from "../../../kernel/json.ts";
import { numberAt, textAt } from "../../../kernel/json-read.ts";
import type { Resource } from "../../../kernel/resource.ts";
import { executorLimits } from "../limits.ts";
import type { HealthQuery, OpenConsul, ServiceInstance } from "./client.ts";
import { allowedServer, consulAccess } from "./consul-access.ts";
import { consulServicesKind } from "./consul-kinds.ts";
import { instanceHealth, serviceHealth } from "./service-health.ts";
import type { ConsulHealth } from "./service-health.ts";

export function serviceReconciler(openConsul: OpenConsul): Reconciler {
  return {
    kind: consulServicesKind,
    retry: { soonMostMs: 30_000 },
    reconcile: async (service, context) => {
      const server = await allowedServer(service, context);
      const consul = openConsul(await consulAccess(server, context), context);
      const { instances } = await consul.health(queryOf(service, 0));
      const seconds = numberAt(server, "spec", "resyncSeconds") ?? executorLimits.resyncSeconds;
      const health = serviceHealth(instances);
      const status = statusOf(instances, health);
      return done({ status, ready: readiness(service, health), resyncMs: seconds * 1_000 });
    },
  };
}

export function queryOf(service: Resource, index: number): HealthQuery {
  return {
    service: textAt(service, "spec", "service"),
    tag: textAt(service, "spec", "tag"),
    datacenter: textAt(service, "spec", "datacenter"),
    index,
  };
}

function statusOf(instances: readonly ServiceInstance[], health: ConsulHealth): JsonObject {
  const shown = instances
    .map((each) => ({
      node: each.node,
      address: each.address,
      port: each.port,
      health: instanceHealth(each),
    }))
    .toSorted((one, other) => placeOf(one).localeCompare(placeOf(other)))
    .slice(0, executorLimits.maxConsulInstances);
  const usable = shown.find((each) => each.health === "passing" || each.health === "warning");
  const outputs = {
    health,
    instances: instances.length,
    address: usable?.address ?? null,
    port: usable?.port ?? null,
  };
  return { health, instances: shown, outputs };
}

function placeOf({ node, port }: { readonly node: string; readonly port: number }): string {
  return `${node} ${String(port).padStart(5, "0")}`;
}

function readiness(service: Resource, health: ConsulHealth): Readiness {
  const name = textAt(service, "spec", "service");
  const reason = `Service${health.charAt(0).toUpperCase()}${health.slice(1)}`;
  const message =
    health === "absent"
      ? `the service ${name} has no instance in Consul`
      : `the service ${name} is ${health} in Consul`;
  const isUsable = health === "passing" || health === "warning";
  return { status: isUsable ? "True" : "False", reason, message };
}

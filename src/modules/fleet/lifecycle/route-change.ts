// When the routes that an agent reports replace the stored ones. Routes that are in use stay, so
// that an agent cannot redirect customers later. Pure.

import type { ReportedRoute } from "../clusters/route.ts";
import { routeDomain } from "./host.ts";
import type { Instance, InstanceRoute } from "./instance.ts";

/** The routes of the agent, with the domain at which customers reach each of them. */
export function storedRoutes(
  host: string,
  reported: readonly ReportedRoute[],
): readonly InstanceRoute[] {
  return reported.map(({ name, prefix, router }) => ({
    name,
    domain: routeDomain(host, prefix),
    router,
  }));
}

/**
 * Routes are stored once for each cluster. An agent may correct them until their preparations are
 * ready. After that, an administrator must accept the reported routes with an annotation; each
 * value of it accepts them once.
 */
export function replacesRoutes(instance: Instance, reported: readonly ReportedRoute[]): boolean {
  const { placement, routes, routesFrom, isRouted, host, acceptRoutes } = instance;
  if (reported.length === 0) return false;
  if (routesFrom !== placement?.cluster) return true;
  if (acceptRoutes.wanted !== "" && acceptRoutes.wanted !== acceptRoutes.done) return true;
  return !isRouted && !isSame(routes, storedRoutes(host, reported));
}

function isSame(one: readonly InstanceRoute[], other: readonly InstanceRoute[]): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

// The routes of the three APIs of an Offering: those of the module, and those that user modules
// add. Everything that lists routes reads this table.

import type { Offering } from "../offering.ts";
import { logged } from "./admin-log.ts";
import { adminRoutes } from "./admin-routes.ts";
import { agentRoutes } from "./agent-routes.ts";
import type { ApiClass, CustomerPorts, FleetRoute } from "./fleet-route.ts";
import { publicRoutes } from "./public-routes.ts";

export function routeTable(
  ports: CustomerPorts,
  offering: Offering,
): Readonly<Record<ApiClass, readonly FleetRoute[]>> {
  const added = (apiClass: ApiClass): readonly FleetRoute[] =>
    ports.fleet.extraRoutes
      .filter((one) => one.apiClass === apiClass)
      .flatMap(({ routesOf }) => routesOf(ports, offering));
  const withAdded = (apiClass: ApiClass, own: readonly FleetRoute[]): readonly FleetRoute[] => [
    ...own,
    ...withoutCollisions(own, added(apiClass), (route) => {
      const fields = { offering: offering.name, method: route.method, path: route.path };
      ports.log.warn({ ...fields, module: route.tag }, "route of a module not served");
    }),
  ];
  return {
    public: withAdded("public", publicRoutes(ports, offering)),
    admin: withAdded("admin", adminRoutes(ports, offering)).map((route) => logged(ports, route)),
    agent: withAdded("agent", agentRoutes(ports, offering)),
  };
}

/** Paths that every class has, beside its routes. */
const reserved = ["GET /", "GET /openapi", "GET /doc"];

/** A route of a user module cannot replace another route. */
function withoutCollisions(
  own: readonly FleetRoute[],
  added: readonly FleetRoute[],
  report: (route: FleetRoute) => void,
): readonly FleetRoute[] {
  const taken = new Set([...reserved, ...own.map(shapeOf)]);
  return added.filter((route) => {
    const isFree = !taken.has(shapeOf(route));
    if (isFree) taken.add(shapeOf(route));
    else report(route);
    return isFree;
  });
}

/** Two routes with equal shapes match the same requests. */
function shapeOf({ method, path }: FleetRoute): string {
  return `${method} ${path.replaceAll(/\{[^}]*\}/g, "{}")}`;
}

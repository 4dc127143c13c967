// The routes of the three APIs of an Offering: those of the module, and those that user modules
// add. Everything that lists routes reads this table.

import type { Offering } from "../offering.ts";
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
  return {
    public: [...publicRoutes(ports, offering), ...added("public")],
    admin: added("admin"),
    agent: [...agentRoutes(ports, offering), ...added("agent")],
  };
}

// The routes of the public API.

import type { Offering } from "../offering.ts";
import { followClaims } from "../organisations/claimed-membership.ts";
import { aboutRoutes } from "./about-routes.ts";
import { createRoute } from "./create-route.ts";
import type { CustomerPorts, FleetRoute } from "./fleet-route.ts";
import { instanceRoutes } from "./instance-routes.ts";
import { metricsRoutes } from "./metrics-routes.ts";
import { providerRoutes } from "./provider-routes.ts";
import { statusRoute } from "./status-route.ts";
import { termsRoutes } from "./terms-routes.ts";

export function publicRoutes(ports: CustomerPorts, offering: Offering): readonly FleetRoute[] {
  const routes = [
    createRoute(ports, offering),
    ...instanceRoutes(ports, offering),
    ...metricsRoutes(ports, offering),
    ...providerRoutes(ports, offering),
    statusRoute(ports, offering),
    ...termsRoutes(ports, offering),
    ...aboutRoutes(offering),
  ];
  return routes.map((route) => (route.access.kind === "member" ? withClaims(ports, route) : route));
}

/** What the token of the caller says about membership is stored before the route is handled. */
function withClaims(ports: CustomerPorts, route: FleetRoute): FleetRoute {
  const claimPorts = { intents: ports.ownIntents, organisations: ports.fleet.organisations };
  return {
    ...route,
    guard: async (request) => {
      await followClaims(claimPorts, request.fleetCaller, request.caller);
      await route.guard?.(request);
    },
  };
}

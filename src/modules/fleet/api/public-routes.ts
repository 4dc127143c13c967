// The routes of the public API.

import type { Offering } from "../offering.ts";
import { aboutRoutes } from "./about-routes.ts";
import { createRoute } from "./create-route.ts";
import type { CustomerPorts, FleetRoute } from "./fleet-route.ts";
import { instanceRoutes } from "./instance-routes.ts";
import { metricsRoutes } from "./metrics-routes.ts";
import { providerRoutes } from "./provider-routes.ts";
import { statusRoute } from "./status-route.ts";
import { termsRoutes } from "./terms-routes.ts";

export function publicRoutes(ports: CustomerPorts, offering: Offering): readonly FleetRoute[] {
  return [
    createRoute(ports, offering),
    ...instanceRoutes(ports, offering),
    ...metricsRoutes(ports, offering),
    ...providerRoutes(ports, offering),
    statusRoute(ports, offering),
    ...termsRoutes(ports, offering),
    ...aboutRoutes(offering),
  ];
}

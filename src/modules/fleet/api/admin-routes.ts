// The admin API, below /api/{plural}_mgmt/v1/admin. The surface has checked the role of the caller.

import type { Offering } from "../offering.ts";
import { usageRoute } from "../usage/usage-route.ts";
import { adminActionRoutes } from "./admin-action-routes.ts";
import { adminClusterRoutes } from "./admin-cluster-routes.ts";
import { adminDeletionRoutes } from "./admin-deletion-routes.ts";
import { adminInstanceRoutes } from "./admin-instance-routes.ts";
import { adminOfferingRoutes } from "./admin-offering-routes.ts";
import type { CustomerPorts, FleetRoute } from "./fleet-route.ts";

export function adminRoutes(ports: CustomerPorts, offering: Offering): readonly FleetRoute[] {
  return [
    ...adminInstanceRoutes(ports, offering),
    ...adminActionRoutes(ports, offering),
    ...adminDeletionRoutes(ports, offering),
    ...adminOfferingRoutes(ports),
    ...adminClusterRoutes(ports),
    usageRoute(ports),
  ];
}

// Opens the surface with what its module offers.

import { ChangeSignals } from "../../modules/fleet/api/change-signals.ts";
import { routeTable } from "../../modules/fleet/api/route-table.ts";
import type { FleetState } from "../../modules/fleet/fleet-state.ts";
import type { SurfacePorts } from "../http/module-surface.ts";
import type { HttpSurface } from "../http/surface.ts";
import { fleetSurface } from "./fleet-surface.ts";
import { healthSurface } from "./health-surface.ts";
import { mountedRoutes } from "./mounted-routes.ts";
import { requestRates } from "./request-rates.ts";
import { servedOfferings } from "./served-offerings.ts";

export function openFleet(ports: SurfacePorts): readonly HttpSurface[] {
  const fleet = ports.offered as FleetState;
  const { openHttp, meter, offerings } = fleet;
  const signals = new ChangeSignals(ports.feed);
  const routePorts = { ...ports, fleet, openHttp, meter, signals };
  const { ids, log, callerLog, stopping, authorizer } = ports;
  const apis = fleetSurface({
    offerings: servedOfferings(offerings, (offering) =>
      mountedRoutes(offering, routeTable(routePorts, offering)),
    ),
    state: fleet,
    takeRequest: requestRates(ports.clock),
    authorizer,
    ids,
    log: callerLog,
    stopping,
  });
  const { maintenance } = fleet;
  return [apis, healthSurface({ maintenance, authorizer, ids, log, stopping })];
}

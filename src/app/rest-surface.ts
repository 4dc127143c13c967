/** The REST surface of a control plane: the routes of all modules. */
import type { HttpSurface } from "../surfaces/http/surface.ts";
import { withDocRoutes } from "../surfaces/rest/doc-routes.ts";
import { restSurface } from "../surfaces/rest/rest-surface.ts";
import { selfRoutes } from "../surfaces/rest/self-routes.ts";
import type { ReadHealth } from "../surfaces/rest/self-routes.ts";
import { packageVersion, readBuild } from "./build.ts";
import type { ControlPlane } from "./control-plane.ts";
import type { OwnReports } from "./request-reports.ts";
import { moduleRoutes } from "./route-ports.ts";

export function openRest(
  plane: ControlPlane,
  { onStreamError }: Pick<OwnReports, "onStreamError">,
  readHealth: ReadHealth,
): HttpSurface {
  const { intents, rbac, stopping } = plane;
  const { store, kinds, clock, ids } = intents;
  const self = selfRoutes({ clock, startedMs: clock.nowMs(), readBuild: readBuild(), readHealth });
  const routes = [...moduleRoutes(plane), ...self];
  return restSurface({
    store,
    clock,
    ids,
    kinds,
    stopping,
    authorizer: rbac,
    impersonation: rbac,
    routes: withDocRoutes(routes, packageVersion()),
    onStreamError,
  });
}

/** The REST surface of a control plane: the routes of all modules. */
import type { HttpSurface } from "../surfaces/http/surface.ts";
import { withDocRoutes } from "../surfaces/rest/doc-routes.ts";
import { recentRoute } from "../surfaces/rest/recent-route.ts";
import type { RecentNumbers } from "../surfaces/rest/recent-route.ts";
import { restSurface } from "../surfaces/rest/rest-surface.ts";
import { selfRoutes } from "../surfaces/rest/self-routes.ts";
import type { ReadHealth } from "../surfaces/rest/self-routes.ts";
import { packageVersion, readBuild } from "./build.ts";
import { shipRoutesOf } from "./replication/ship-routes.ts";
import type { ControlPlane } from "./control-plane.ts";
import type { OwnReports } from "./request-reports.ts";
import { moduleRoutes } from "./route-ports.ts";

export interface RestInput {
  readonly plane: ControlPlane;
  readonly reports: Pick<OwnReports, "onStreamError">;
  readonly readHealth: ReadHealth;
  /** Measures what is due in all processes. */
  readonly measure: () => Promise<void>;
  readonly server: string;
}

export function openRest({ plane, reports, readHealth, measure, server }: RestInput): HttpSurface {
  const { onStreamError } = reports;
  const { intents, rbac, stopping } = plane;
  const { store, kinds, clock, ids } = intents;
  const self = selfRoutes({ clock, startedMs: clock.nowMs(), readBuild: readBuild(), readHealth });
  const readRecent = async (spanMs: number, stepMs: number): Promise<RecentNumbers> => {
    await measure();
    const { startedMs, fromMs, stepMs: ownStepMs, ...series } = plane.recent.read(spanMs, stepMs);
    return { startedMs, fromMs, stepMs: ownStepMs, series };
  };
  const recent = recentRoute({ authorizer: rbac, server, readRecent });
  const routes = [...moduleRoutes(plane), ...self, recent, ...shipRoutesOf(store)];
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

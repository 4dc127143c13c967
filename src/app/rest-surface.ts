/** The REST surface of a control plane: the routes of all modules. */
import { readFileSync } from "node:fs";
import type { HttpSurface } from "../surfaces/http/surface.ts";
import { withDocRoutes } from "../surfaces/rest/doc-routes.ts";
import { restSurface } from "../surfaces/rest/rest-surface.ts";
import type { Logger } from "../telemetry/log.ts";
import type { ControlPlane } from "./control-plane.ts";
import { routePortsOf } from "./route-ports.ts";

export function openRest(plane: ControlPlane, log: Logger): HttpSurface {
  const { intents, rbac, stopping, modules } = plane;
  const { store, kinds, clock, ids } = intents;
  const ports = routePortsOf(plane);
  const routes = modules.routes.flatMap((routesOf) => routesOf(ports));
  return restSurface({
    store,
    clock,
    ids,
    kinds,
    stopping,
    authorizer: rbac,
    impersonation: rbac,
    routes: withDocRoutes(routes, packageVersion()),
    onStreamError: (error) => log.warn({ error }, "stream ended with an error"),
  });
}

function packageVersion(): string {
  const path = new URL("../../package.json", import.meta.url);
  const { version } = JSON.parse(readFileSync(path, "utf8")) as { readonly version: string };
  return version;
}

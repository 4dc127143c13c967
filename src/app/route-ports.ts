/** What routes and the surfaces of modules receive. They share one read model. */
import type { Route, RoutePorts } from "../contract/route.ts";
import type { ControlPlane } from "./control-plane.ts";

type Plane = Pick<ControlPlane, "intents" | "readModel" | "rbac" | "owners" | "timers">;

export function routePortsOf({ intents, readModel, rbac, owners, timers }: Plane): RoutePorts {
  const { store, live, kinds } = intents;
  const access = { authorizer: rbac, rights: rbac, readers: rbac };
  return { store, live, kinds, intents, readModel, owners, timers, ...access };
}

const routesByModules = new WeakMap<ControlPlane["modules"], readonly Route[]>();

/** The routes of all modules. They are built once for each process. */
export function moduleRoutes(plane: Plane & Pick<ControlPlane, "modules">): readonly Route[] {
  const { modules } = plane;
  const known = routesByModules.get(modules);
  if (known !== undefined) return known;
  const ports = routePortsOf(plane);
  const routes = modules.routes.flatMap((routesOf) => routesOf(ports));
  routesByModules.set(modules, routes);
  return routes;
}

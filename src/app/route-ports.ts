/** What routes and the surfaces of modules receive. They share one read model. */
import type { RoutePorts } from "../contract/route.ts";
import type { ControlPlane } from "./control-plane.ts";

type Plane = Pick<ControlPlane, "intents" | "readModel" | "rbac" | "timers">;

export function routePortsOf({ intents, readModel, rbac, timers }: Plane): RoutePorts {
  const { store, live, kinds } = intents;
  return { store, live, kinds, intents, readModel, timers, authorizer: rbac, readers: rbac };
}

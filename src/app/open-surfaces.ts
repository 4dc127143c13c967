/** The surfaces of the modules that this server starts, for the request pipeline. */
import type { ModuleLog } from "../contract/ports.ts";
import type { Auditor } from "../intents/audit/audit-trail.ts";
import type { ModuleSurface } from "../surfaces/http/module-surface.ts";
import type { HttpSurface } from "../surfaces/http/surface.ts";
import type { ControlPlane } from "./control-plane.ts";
import { moduleSurfaces } from "./modules.ts";
import { ownIntentsOf } from "./own-intents.ts";
import { moduleRoutes, routePortsOf } from "./route-ports.ts";

export interface OpenSurfacesInput {
  readonly plane: ControlPlane;
  readonly log: ModuleLog;
  /** The same with a limit; without it, `log`. */
  readonly callerLog?: ModuleLog;
  readonly audit?: Auditor | undefined;
  /** Those of this server when left out. */
  readonly surfaces?: readonly ModuleSurface[];
}

/** After the modules have started. */
export async function openSurfaces(input: OpenSurfacesInput): Promise<readonly HttpSurface[]> {
  const { plane, log, callerLog = log, audit, surfaces = moduleSurfaces } = input;
  const { intents, modules, feed, stopping } = plane;
  const { clock, ids } = intents;
  const shared = { ...routePortsOf(plane), ownIntents: ownIntentsOf(intents) };
  const routes = moduleRoutes(plane);
  const ports = { ...shared, routes, feed, audit, clock, ids, stopping, log, callerLog };
  const started = new Set(modules.started.map(({ name }) => name));
  const served = surfaces.filter(({ module }) => started.has(module));
  const opened = await Promise.all(
    served.map(async ({ module, open }) => {
      return await open({ ...ports, offered: modules.offered(module) });
    }),
  );
  return opened.flat();
}

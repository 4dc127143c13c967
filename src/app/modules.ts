// The built-in modules of this server, and their surfaces. To remove a module, delete its folder,
// its surface, their tests, their lines here, and its line in authoring/extensions.ts, if any. Then
// run `npm run docs`, which writes the tables of routes and errors without it.

import type { BuiltInModule } from "../contract/module.ts";
import { bus } from "../modules/bus/module.ts";
import { connect } from "../modules/connect/module.ts";
import { dns } from "../modules/dns/module.ts";
import { environments } from "../modules/environments/module.ts";
import { executors } from "../modules/executors/module.ts";
import { fleet } from "../modules/fleet/module.ts";
import { gitops } from "../modules/gitops/module.ts";
import { insight } from "../modules/insight/module.ts";
import { oidcClients } from "../modules/oidc-clients/module.ts";
import { resourceProvider } from "../modules/resource-provider/module.ts";
import { armSurface } from "../surfaces/arm/surface.ts";
import { busSurface } from "../surfaces/bus/surface.ts";
import { fleetSurface } from "../surfaces/fleet/surface.ts";
import type { ModuleSurface } from "../surfaces/http/module-surface.ts";

/** Their admission runs in this order. */
export const builtInModules: readonly BuiltInModule[] = [
  resourceProvider,
  connect,
  dns,
  environments,
  executors,
  fleet,
  gitops,
  insight,
  oidcClients,
  bus,
];

export const moduleSurfaces: readonly ModuleSurface[] = [armSurface, busSurface, fleetSurface];

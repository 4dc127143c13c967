// The surface of a built-in module: an HTTP protocol over what the module stores. It is listed in
// app/modules.ts beside its module. A surface translates, and its module does the rest.

import type { ResourceNaming } from "../../contract/command.ts";
import type { ModuleLog } from "../../contract/ports.ts";
import type { Authorizer } from "../../intents/auth/policy.ts";
import type { Intents } from "../../intents/request.ts";
import type { HttpSurface } from "./surface.ts";

export interface ModuleSurface {
  /** The name of its module. A server that does not start the module does not serve the surface. */
  readonly module: string;
  /** How the protocol names a resource, for the command line. */
  readonly resourceNaming?: ResourceNaming;
  /** Runs after the module has started. */
  readonly open: (ports: SurfacePorts) => Promise<HttpSurface>;
}

export interface SurfacePorts {
  /** What the module offers to its surface: see OpenModule. */
  readonly offered: unknown;
  /** The write path with all policies. */
  readonly intents: Intents;
  readonly authorizer: Authorizer;
  readonly log: ModuleLog;
}

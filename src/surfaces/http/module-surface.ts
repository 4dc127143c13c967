// The surface of a built-in module: an HTTP protocol over what the module stores. It is listed in
// app/modules.ts beside its module. A surface translates, and its module does the rest.

import type { ResourceNaming } from "../../contract/command.ts";
import type { ModuleLog } from "../../contract/ports.ts";
import type { Route, RoutePorts } from "../../contract/route.ts";
import type { Auditor } from "../../intents/audit/audit-trail.ts";
import type { Intents } from "../../intents/request.ts";
import type { ChangeFeed } from "../../intents/watch/change-feed.ts";
import type { Clock } from "../../kernel/clock.ts";
import type { Ids } from "../../kernel/ids.ts";
import type { HttpSurface } from "./surface.ts";

export interface ModuleSurface {
  /** The name of its module. A server that does not start the module does not serve the surface. */
  readonly module: string;
  /** How the protocol names a resource, for the command line. */
  readonly resourceNaming?: ResourceNaming;
  /** Runs after the module has started. A module may have several protocols. */
  readonly open: (ports: SurfacePorts) => Promise<HttpSurface | readonly HttpSurface[]>;
}

/** What routes receive, and more. The read model is the one that the REST surface uses. */
export interface SurfacePorts extends RoutePorts {
  /** The routes of all modules. */
  readonly routes: readonly Route[];
  /** What the module offers to its surface: see OpenModule. */
  readonly offered: unknown;
  /** The write path without policies: for the surface's own records. */
  readonly ownIntents: Intents;
  readonly feed: ChangeFeed;
  /** Undefined where the server writes no audit log. */
  readonly audit?: Auditor | undefined;
  readonly clock: Clock;
  readonly ids: Ids;
  /** Aborted when the server stops. */
  readonly stopping: AbortSignal;
  readonly log: ModuleLog;
  /** For lines that any caller can cause as often as it likes: their number is limited. */
  readonly callerLog: ModuleLog;
}

/** The REST surface of a control plane: the routes of all modules, over one read model. */
import { readFileSync } from "node:fs";
import type { RoutePorts } from "../contract/route.ts";
import { openReadModel } from "../intents/read-model/read-model.ts";
import { systemTimers } from "../kernel/timers.ts";
import type { HttpSurface } from "../surfaces/http/surface.ts";
import { withDocRoutes } from "../surfaces/rest/doc-routes.ts";
import { restSurface } from "../surfaces/rest/rest-surface.ts";
import type { Logger } from "../telemetry/log.ts";
import type { ControlPlane } from "./control-plane.ts";

export interface RestInput {
  readonly plane: ControlPlane;
  readonly log: Logger;
  /** Aborted when the server stops. */
  readonly stopping: AbortSignal;
}

export interface RunningRest extends Disposable {
  readonly surface: HttpSurface;
}

export function startRest({ plane, log, stopping }: RestInput): RunningRest {
  const { intents, feed, rbac } = plane;
  const { store, live, kinds, clock, ids } = intents;
  const timers = systemTimers;
  const readModel = openReadModel({ store, feed, kinds, clock, timers });
  const ports: RoutePorts = {
    store,
    live,
    kinds,
    intents,
    readModel,
    timers,
    authorizer: rbac,
    readers: rbac,
  };
  const all = withDocRoutes(
    plane.modules.routes.flatMap((routesOf) => routesOf(ports)),
    packageVersion(),
  );
  const surface = restSurface({
    store,
    clock,
    ids,
    kinds,
    stopping,
    authorizer: rbac,
    impersonation: rbac,
    routes: all,
    onStreamError: (error) => log.warn({ error }, "stream ended with an error"),
  });
  return {
    surface,
    [Symbol.dispose]: () => readModel[Symbol.dispose](),
  };
}

function packageVersion(): string {
  const path = new URL("../../package.json", import.meta.url);
  const { version } = JSON.parse(readFileSync(path, "utf8")) as { readonly version: string };
  return version;
}

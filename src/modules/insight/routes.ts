// The routes of the module, in the order of the documentation.

import type { Route, RoutePorts } from "../../contract/route.ts";
import { auditRoute } from "./audit-route.ts";
import { changesRoute } from "./changes-route.ts";
import { countsRoute } from "./counts-route.ts";
import { diffRoute } from "./diff-route.ts";
import { eraseRoutes } from "./erase-route.ts";
import { historyRoute } from "./history-route.ts";
import { kindsRoute } from "./kinds-route.ts";
import { listRoute } from "./list-route.ts";
import { openLives } from "../../intents/read/lives.ts";
import { namesRoute } from "./names-route.ts";
import { problemsRoute } from "./problems-route.ts";
import { rollbackRoute } from "./rollback-route.ts";
import { timelineRoute } from "./timeline-route.ts";

export function insightRoutes(ports: RoutePorts): readonly Route[] {
  const lives = openLives(ports);
  return [
    listRoute(ports),
    kindsRoute(ports),
    namesRoute(ports),
    countsRoute(ports),
    problemsRoute(ports),
    historyRoute(ports, lives),
    diffRoute(ports, lives),
    rollbackRoute(ports, lives),
    ...eraseRoutes(ports),
    changesRoute(ports, lives),
    auditRoute(ports, lives),
    timelineRoute(ports, lives),
  ];
}

/** The routes of the module. A diff needs the parts that a sync needs. */
import type { GitOpsPart } from "../part.ts";
import type { SyncInput } from "../sync/sync-input.ts";
import { diffRoute } from "./diff-route.ts";
import { refreshRoute, revisionRoute } from "./refresh-route.ts";
import { treeRoute } from "./tree-route.ts";

export function openApi(input: SyncInput): GitOpsPart {
  return {
    routes: (ports) => [
      diffRoute(input, ports),
      refreshRoute(input, ports),
      revisionRoute(input, ports),
      treeRoute(input, ports),
    ],
  };
}

/** The reconcilers of deployments and SyncRuns, and the records of operations. */
import type { GitOpsPart } from "../part.ts";
import { deploymentReconciler } from "./deployment-reconciler.ts";
import { inventoryReconciler } from "./inventory-reconciler.ts";
import { RenderCache } from "./render-cache.ts";
import { SettledObjects } from "./settled-objects.ts";
import type { SyncInput } from "./sync-input.ts";
import { syncRunReconciler } from "./sync-run-reconciler.ts";

export function openSync(input: SyncInput): GitOpsPart {
  return {
    start: ({ engine, ownIntents: intents }, stops) => {
      const ports = {
        ...input,
        intents,
        settled: new SettledObjects(),
        rendered: new RenderCache(),
      };
      const reconcilers = [deploymentReconciler, syncRunReconciler, inventoryReconciler];
      for (const reconciler of reconcilers) stops.defer(engine.add(reconciler(ports)));
    },
  };
}

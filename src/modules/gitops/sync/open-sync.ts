/** The reconcilers of deployments and SyncRuns, and the records of operations. */
import type { GitOpsPart } from "../part.ts";
import { deploymentReconciler } from "./deployment-reconciler.ts";
import { accountGuard, recordGuard } from "./guards.ts";
import { inventoryReconciler } from "./inventory-reconciler.ts";
import { oldRecords } from "./old-records.ts";
import { RenderCache } from "./render-cache.ts";
import { SettledObjects } from "./settled-objects.ts";
import type { SyncInput } from "./sync-input.ts";
import { syncRunReconciler } from "./sync-run-reconciler.ts";

export function openSync(input: SyncInput): GitOpsPart {
  const { authorizer, rights, clock, timers, ids } = input.ports;
  return {
    admission: [accountGuard({ authorizer, rights }), recordGuard()],
    start: ({ engine, ownIntents: intents }, stops) => {
      const ports = {
        ...input,
        intents,
        settled: new SettledObjects(),
        rendered: new RenderCache(),
        instanceId: ids.uid(),
      };
      const reconcilers = [deploymentReconciler, syncRunReconciler, inventoryReconciler];
      for (const reconciler of reconcilers) stops.defer(engine.add(reconciler(ports)));
      stops.defer(engine.lead(oldRecords({ intents, clock, timers })));
    },
  };
}

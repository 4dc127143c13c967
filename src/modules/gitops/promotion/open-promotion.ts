/** Promotions in a process. */
import type { GitOpsPart } from "../part.ts";
import { bindingReconciler } from "./binding-reconciler.ts";
import { claimReconciler, deliveryTargetReconciler } from "./delivery-targets.ts";
import { promotionEnvironmentReconciler } from "./environment-reconciler.ts";
import { promotionGuard } from "./promotion-guard.ts";
import { promotionRunReconciler } from "./promotion-run-reconciler.ts";

export function openPromotion(): GitOpsPart {
  return {
    admission: [promotionGuard],
    start: ({ engine, ownIntents: intents }, stops) => {
      const ports = { intents };
      for (const reconciler of [
        promotionEnvironmentReconciler(),
        bindingReconciler(),
        promotionRunReconciler(ports),
        claimReconciler(ports),
        deliveryTargetReconciler(ports),
      ]) {
        stops.defer(engine.add(reconciler));
      }
    },
  };
}

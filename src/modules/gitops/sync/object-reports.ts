/** Sync and health of each object of a plan. Pure. */
import type { JsonObject } from "../../../kernel/json.ts";
import { referenceKey } from "../object-reference.ts";
import type { ObjectReport } from "../status/deployment-report.ts";
import type { HealthRules } from "../status/health.ts";
import type { Plan } from "./plan.ts";

export function objectReports(
  { objects, prunes }: Plan,
  live: ReadonlyMap<string, JsonObject>,
  health: HealthRules,
): readonly ObjectReport[] {
  return [
    ...objects
      .filter(({ isNamespace, hook }) => isNamespace !== true && hook === undefined)
      .map(({ at, action }): ObjectReport => ({
        at,
        sync: action === "unchanged" ? "Synced" : "OutOfSync",
        health: health.assess(at, live.get(referenceKey(at))),
      })),
    ...prunes.map(({ at }): ObjectReport => ({
      at,
      sync: "OutOfSync",
      health: health.assess(at, live.get(referenceKey(at))),
      isPruned: true,
    })),
  ];
}

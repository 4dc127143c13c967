// The health of objects. Order of the rules: `healthChecks` of the deployment, HealthRules, then
// the built-in table. Kinds without a rule have no health and hold up no sync.

import type { JsonObject } from "../../../kernel/json.ts";
import type { ObjectReference } from "../object-reference.ts";
import type { healthStatuses } from "../kinds/kind-parts.ts";

export type HealthStatus = (typeof healthStatuses)[number];

export interface Health {
  readonly status: HealthStatus;
  readonly message: string;
}

export interface HealthRules {
  /**
   * `live` undefined: Missing. An object in deletion, and one whose `observedGeneration` is behind,
   * is Progressing; a paused one is Suspended. Undefined: no rule for the kind. Never throws: a
   * rule that fails gives Unknown with the reason.
   */
  assess(at: ObjectReference, live: JsonObject | undefined): Health | undefined;
}

/** For the rules of a deployment, which are compiled once for each generation. */
export interface HealthEngine {
  rulesFor(deploymentSpec: JsonObject): HealthRules;
  /** The rules of all HealthRules, for the agents of clusters. */
  stated(): readonly JsonObject[];
}

/** From the best to the worst: the health of a deployment is that of its worst object. */
export const healthOrder: readonly HealthStatus[] = [
  "Healthy",
  "Suspended",
  "Progressing",
  "Missing",
  "Degraded",
  "Unknown",
];

export function worstHealth(statuses: Iterable<HealthStatus>): HealthStatus {
  let worst = 0;
  for (const status of statuses) worst = Math.max(worst, healthOrder.indexOf(status));
  return healthOrder[worst] ?? "Unknown";
}

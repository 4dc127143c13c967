// The cluster that a ScalingRule creates. Pure.

import type { JsonObject } from "../../../kernel/json.ts";
import { fleetVersion, scalingRuleLabel } from "../names.ts";
import type { ScalingRule } from "./rule.ts";

/** The name contains a number that the rule uses once. */
export function clusterName({ name }: Pick<ScalingRule, "name">, sequence: number): string {
  return `${name}-${sequence}`;
}

export function newCluster(rule: ScalingRule, name: string): JsonObject {
  const { provider, region, template } = rule;
  const named = Object.fromEntries(
    Object.entries(template).map(([key, value]) => [
      key,
      typeof value === "string" ? value.replaceAll("${name}", name) : value,
    ]),
  );
  return {
    apiVersion: fleetVersion,
    kind: "DataPlaneCluster",
    metadata: { name, labels: { [scalingRuleLabel]: rule.name } },
    spec: { ...named, provider, region },
  };
}

// The capacity of a region as a ScalingRule counts it: what is free on usable clusters, and what
// clusters that are being created will add. Pure.

import type { ClusterFacts } from "../placement/cluster-facts.ts";
import type { ScalingRule } from "./rule.ts";

type ClusterUse =
  | "usable"
  | "coming"
  | "failed"
  /** Its agent cannot apply the Offering. */
  | "unavailable"
  | "drained"
  | "leaving"
  | "closed";

/** A cluster that can host what the rule is about. */
export interface ScaledCluster {
  readonly id: string;
  /** The rule created it. */
  readonly isOwn: boolean;
  readonly state: ClusterUse;
  /** Units that are free, or will be; Infinity without a limit. */
  readonly free: number;
  readonly used: number;
}

export interface Region {
  readonly clusters: readonly ScaledCluster[];
  /** Units in use on usable clusters. */
  readonly used: number;
  readonly free: number;
  readonly coming: number;
  /** Units that must be free. */
  readonly wanted: number;
}

export function regionOf(
  rule: ScalingRule,
  clusters: Iterable<ClusterFacts>,
  isOwn: (cluster: string) => boolean,
): Region {
  const scaled: ScaledCluster[] = [];
  for (const cluster of clusters) {
    if (!isSuitable(rule, cluster)) continue;
    scaled.push({
      id: cluster.id,
      isOwn: isOwn(cluster.id),
      state: stateOf(rule, cluster),
      free: freeUnits(rule, cluster),
      used: cluster.load.used,
    });
  }
  const sum = (state: ClusterUse, units: (one: ScaledCluster) => number): number =>
    scaled.reduce((total, one) => total + (one.state === state ? units(one) : 0), 0);
  const used = sum("usable", (one) => one.used);
  return {
    clusters: scaled.toSorted((one, other) => (one.id < other.id ? -1 : 1)),
    used,
    free: sum("usable", (one) => one.free),
    coming: sum("coming", (one) => one.free),
    wanted: wantedUnits(rule, used),
  };
}

function wantedUnits({ slack }: ScalingRule, used: number): number {
  if (slack.percent !== undefined) return Math.ceil((used * slack.percent) / 100);
  return slack.units ?? 0;
}

/** A cluster for one organisation is not capacity for the others. */
function isSuitable(rule: ScalingRule, cluster: ClusterFacts): boolean {
  const { offerings, types, organisation, provider, region } = cluster;
  return (
    provider === rule.provider &&
    region === rule.region &&
    organisation === undefined &&
    offerings?.has(rule.offering) !== false &&
    (rule.type === undefined || types?.has(rule.type) !== false)
  );
}

function stateOf({ offering }: ScalingRule, cluster: ClusterFacts): ClusterUse {
  const { isDeleting, isDraining, phase, refusal, unavailable } = cluster;
  if (isDeleting) return "leaving";
  if (phase === "failed") return "failed";
  if (isDraining) return "drained";
  // Ready, and an administrator has closed it.
  if (phase === "ready" && refusal !== undefined) return "closed";
  if (unavailable.has(offering)) return "unavailable";
  return phase === "ready" ? "usable" : "coming";
}

function freeUnits({ type }: ScalingRule, { capacity, load }: ClusterFacts): number {
  const { total, byType, fullTypes } = capacity;
  if (type !== undefined && fullTypes.includes(type)) return 0;
  const ofTotal = total === undefined ? Infinity : total - load.used;
  const limit = type === undefined ? undefined : byType.get(type);
  const ofType = limit === undefined ? Infinity : limit - (load.usedByType.get(type ?? "") ?? 0);
  return Math.max(0, Math.min(ofTotal, ofType));
}

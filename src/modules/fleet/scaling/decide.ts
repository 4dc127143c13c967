// The next step of a ScalingRule, from facts alone. One step changes one cluster, and the next
// decision sees the result. Pure.

import type { Region, ScaledCluster } from "./region.ts";
import type { ScalingRule } from "./rule.ts";

export interface ScalingFacts {
  readonly rule: ScalingRule;
  readonly region: Region;
  readonly nowMs: number;
}

export type ScalingStep =
  /** A new cluster from the template. */
  | { readonly kind: "create"; readonly message: string }
  /** A cluster that was to be removed is needed again. */
  | ClusterStep<"reopen">
  /** No instance is placed there any more, and those that are there are moved. */
  | ClusterStep<"drain">
  | ClusterStep<"remove">
  /** Remembers since when a cluster is not needed; undefined: none is. */
  | { readonly kind: "mark"; readonly surplus: string | undefined }
  | ScalingRest;

interface ClusterStep<Kind extends string> {
  readonly kind: Kind;
  readonly cluster: string;
  readonly message: string;
}

/** Nothing to do before the region changes, or until `againMs`. */
export interface ScalingRest {
  readonly kind: "rest";
  readonly isReady: boolean;
  readonly reason: string;
  readonly message: string;
  readonly againMs?: number;
}

export function decideScaling(facts: ScalingFacts): ScalingStep {
  const { rule, region } = facts;
  const { free, coming, wanted, clusters } = region;
  if (free + coming < wanted || isBelowMinimum(facts)) return scaleUp(facts);
  const drained = clusters.find(({ isOwn, state }) => isOwn && state === "drained");
  if (drained !== undefined) return removal(drained);
  const surplus = surplusCluster(facts);
  if (surplus === undefined || rule.removeAfterMs === undefined) {
    if (rule.surplus !== undefined) return { kind: "mark", surplus: undefined };
    return enough(facts);
  }
  if (rule.surplus?.cluster !== surplus.id) return { kind: "mark", surplus: surplus.id };
  const atMs = rule.surplus.sinceMs + rule.removeAfterMs;
  if (facts.nowMs < atMs) return { ...enough(facts), againMs: atMs - facts.nowMs };
  const left = freeWithout(facts, surplus);
  const message = `${shown(left)} units are free without it, ${wanted} are wanted`;
  return { kind: "drain", cluster: surplus.id, message };
}

/** Without it, a share of nothing would never lead to a first cluster. */
function isBelowMinimum({ rule, region }: ScalingFacts): boolean {
  const isThere = ({ state }: ScaledCluster): boolean => state === "usable" || state === "coming";
  return region.clusters.filter(isThere).length < rule.minClusters;
}

function scaleUp({ rule, region }: ScalingFacts): ScalingStep {
  const { free, coming, wanted, clusters } = region;
  const message = `${shown(free + coming)} units are free or coming, ${wanted} are wanted`;
  const drained = clusters.find(({ isOwn, state }) => isOwn && state === "drained");
  if (drained !== undefined) return { kind: "reopen", cluster: drained.id, message };
  if (rule.surplus !== undefined) return { kind: "mark", surplus: undefined };
  const failed = clusters.find(({ isOwn, state }) => isOwn && state === "failed");
  if (failed !== undefined) {
    const why = `${message}, and the cluster ${failed.id} has failed: repair or delete it`;
    return { kind: "rest", isReady: false, reason: "ClusterFailed", message: why };
  }
  // Another one from the same template would probably lack the same.
  const lacking = clusters.find(({ isOwn, state }) => isOwn && state === "unavailable");
  if (lacking !== undefined) {
    const why = `${message}, and the cluster ${lacking.id} cannot host ${rule.offering}`;
    const help =
      "see its status.report.unavailable; for another cluster set its isSchedulable false";
    return {
      kind: "rest",
      isReady: false,
      reason: "ClusterUnavailable",
      message: `${why}: ${help}`,
    };
  }
  if (clusters.length >= rule.maxClusters) {
    const why = `${message}; the region has ${clusters.length} clusters: raise spec.maxClusters`;
    return { kind: "rest", isReady: false, reason: "LimitReached", message: why };
  }
  return { kind: "create", message };
}

/** Draining moves what was placed in the meantime. */
function removal({ id, used }: ScaledCluster): ScalingStep {
  if (used === 0) return { kind: "remove", cluster: id, message: "it is empty and not needed" };
  const message = `${used} units are still on the cluster ${id}`;
  return { kind: "rest", isReady: true, reason: "Draining", message };
}

/** An empty cluster of the rule without which enough is free; the last by name. */
function surplusCluster(facts: ScalingFacts): ScaledCluster | undefined {
  const { rule, region } = facts;
  const usable = region.clusters.filter(({ state }) => state === "usable");
  if (usable.length <= rule.minClusters) return undefined;
  return usable.findLast(
    (one) => one.isOwn && one.used === 0 && freeWithout(facts, one) >= region.wanted,
  );
}

/** Capacity that is still coming does not replace one that is there. */
function freeWithout({ region }: ScalingFacts, cluster: ScaledCluster): number {
  return region.clusters.reduce(
    (sum, one) => sum + (one.state === "usable" && one !== cluster ? one.free : 0),
    0,
  );
}

function enough({ region }: ScalingFacts): ScalingRest {
  const { free, coming, wanted } = region;
  const message = `${shown(free + coming)} units are free or coming, ${wanted} are wanted`;
  return { kind: "rest", isReady: true, reason: "EnoughCapacity", message };
}

function shown(units: number): string {
  return units === Infinity ? "unlimited" : `${units}`;
}

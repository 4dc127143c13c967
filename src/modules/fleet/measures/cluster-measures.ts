// The measures of all clusters. The live view has them; their load comes from the cluster index.

import type { GaugeSample } from "../../../contract/ports.ts";
import type { LiveView } from "../../../intents/live-view.ts";
import type { Clock } from "../../../kernel/clock.ts";
import { clusterPhases } from "../clusters/phases.ts";
import { clustersKind } from "../names.ts";
import type { Offering } from "../offering.ts";
import type { ClusterFacts } from "../placement/cluster-facts.ts";
import { countedChange, measuredCluster } from "./measured.ts";
import type { Counted } from "./measured.ts";
import { Tally } from "./tally.ts";

export interface ClusterMeasures {
  byStatus(): Iterable<GaugeSample>;
  readonly stop: () => void;
}

export function followClusterMeasures(
  { live, clock }: { readonly live: Pick<LiveView, "follow">; readonly clock: Clock },
  count: (counted: Counted) => void,
): ClusterMeasures {
  const byStatus = new Tally();
  for (const status of clusterPhases) byStatus.declare({ status });
  let isLoaded = false;
  const stop = live.follow(clustersKind, (after, before) => {
    const [now, then] = [after, before].map((each) => each && measuredCluster(each.resource));
    if (then !== undefined) byStatus.add({ status: then.status }, -1);
    if (now !== undefined) byStatus.add({ status: now.status }, 1);
    if (isLoaded) count(countedChange(then, now, clock.nowMs()));
  });
  isLoaded = true;
  return { byStatus: () => byStatus.samples(), stop };
}

/** A cluster without a limit for a type has no maximum. */
export function* capacityMax(
  clusters: Iterable<ClusterFacts>,
  offerings: readonly Offering[],
): Iterable<GaugeSample> {
  for (const cluster of clusters) {
    const { total, byType } = cluster.capacity;
    for (const type of hostedTypes(cluster, offerings)) {
      const most = Math.min(byType.get(type) ?? Infinity, total ?? Infinity);
      if (most !== Infinity) yield { labels: capacityLabels(cluster, type), value: most };
    }
  }
}

export function* capacityUsed(
  clusters: Iterable<ClusterFacts>,
  offerings: readonly Offering[],
): Iterable<GaugeSample> {
  for (const cluster of clusters) {
    for (const type of hostedTypes(cluster, offerings)) {
      const value = cluster.load.usedByType.get(type) ?? 0;
      yield { labels: capacityLabels(cluster, type), value };
    }
  }
}

/** Types of Offerings: those that an agent alone reports could be any number. */
function hostedTypes(
  { offerings: hosted, types }: ClusterFacts,
  offerings: readonly Offering[],
): ReadonlySet<string> {
  const offered = offerings.filter(({ name }) => hosted === undefined || hosted.has(name));
  const names = offered.flatMap((offering) => offering.types.map(({ name }) => name));
  return new Set(names.filter((name) => types === undefined || types.has(name)));
}

function capacityLabels({ id, region }: ClusterFacts, type: string): GaugeSample["labels"] {
  return { region, instance_type: type, cluster_id: id };
}

/** ScalingRules in a running process: their reconciler, and what wakes them. */
import type { OpenPorts, StartPorts } from "../../../contract/ports.ts";
import type { LeaderTask } from "../../../engine/wakes/leader-tasks.ts";
import { wakeTask } from "../../../engine/wakes/wake-task.ts";
import type { ResourceKey } from "../../../kernel/resource.ts";
import { clusterKey, clusterOf, clustersKind, managedInstancesKind } from "../names.ts";
import { scalingRulesKind } from "../names.ts";
import type { ClusterIndex } from "../placement/cluster-index.ts";
import { fleetMetric } from "../metrics.ts";
import { isOwn } from "./change-clusters.ts";
import { regionOf } from "./region.ts";
import { readScalingRule } from "./rule.ts";
import type { ScalingRule } from "./rule.ts";
import { scalingReconciler } from "./scaling-reconciler.ts";
import type { ScalingPorts } from "./scaling-reconciler.ts";

export interface ScalingInput {
  readonly ports: Pick<OpenPorts, "live" | "store" | "timers" | "meter">;
  readonly more: StartPorts;
  readonly clusters: Pick<ClusterIndex, "inRegion">;
}

/** Returns a function that ends it. */
export function startScaling(input: ScalingInput): () => void {
  const { ports, more, clusters } = input;
  const { live, store } = ports;
  const region: ScalingPorts["regionOf"] = async (rule) => {
    // The revision of a list is the newest in any process.
    const { revision } = await store.list({ kind: clustersKind, limit: 1 });
    await live.reached(revision);
    return regionOf(rule, clusters.inRegion(rule.provider, rule.region), (id) => {
      const found = live.get(clusterKey(id));
      return found !== undefined && isOwn(rule, found.resource);
    });
  };
  const ends = [
    more.engine.add(scalingReconciler({ intents: more.intents, regionOf: region })),
    more.engine.lead(wakeRules(input)),
    live.follow(scalingRulesKind, (after) => {
      if (after !== undefined) declareCounters(ports.meter, readScalingRule(after.resource));
    }),
  ];
  return () => {
    for (const end of ends) end();
  };
}

/** A rate sees the first decision only if the counter was there before. */
function declareCounters(meter: OpenPorts["meter"], rule: ScalingRule): void {
  const { offering, region, isDryRun } = rule;
  for (const action of ["create", "reopen", "drain", "remove"]) {
    const labels = { offering, region, action, dry_run: `${isDryRun}` };
    meter.count(fleetMetric.scalingDecisions, labels, 0);
  }
}

/** A rule is reconciled when a cluster changes, or what is placed on one. */
function wakeRules({ ports, more }: ScalingInput): LeaderTask {
  const { live, timers } = ports;
  const rules = (): readonly ResourceKey[] => [...live.all(scalingRulesKind)].map(({ key }) => key);
  return wakeTask({
    name: "fleet-scaling",
    store: more.ownIntents.store,
    timers,
    follow: (wakeLater) => {
      const unsubscribe = more.feed.subscribe((changes) => {
        const isCapacityChanged = changes.some(
          ({ key, type }) =>
            key.kind === clustersKind ||
            (key.kind === managedInstancesKind &&
              type !== "updated" &&
              clusterOf(key.namespace) !== undefined),
        );
        if (isCapacityChanged) wakeLater(rules());
      });
      wakeLater(rules());
      return unsubscribe;
    },
  });
}

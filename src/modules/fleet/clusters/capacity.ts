// How many units a cluster takes: the smaller of what its spec allows and what its agent reports.
// The result bounds the counters of the cluster, so that placement cannot exceed it. Pure.

import { numberAt, objectAt } from "../../../kernel/json-read.ts";
import type { Resource } from "../../../kernel/resource.ts";
import type { ReportedCapacity } from "./cluster.ts";
import { readCluster } from "./cluster.ts";

export interface ClusterCapacity {
  /** Units of all types; undefined: no limit. */
  readonly total: number | undefined;
  /** Units of a type, where it has a limit. */
  readonly byType: ReadonlyMap<string, number>;
  /** Types for which the agent reports that nothing is left, whatever the counters say. */
  readonly fullTypes: readonly string[];
}

export function clusterCapacity(cluster: Resource): ClusterCapacity {
  const { spec } = cluster;
  const reported = readCluster(cluster).report?.capacity ?? new Map<string, ReportedCapacity>();
  const declared = objectAt(spec, "capacity", "types");
  const byType = new Map<string, number>();
  for (const type of new Set([...Object.keys(declared), ...reported.keys()])) {
    const limit = smaller(limitOf(numberAt(declared, type)), limitOf(reported.get(type)?.maxUnits));
    if (limit !== undefined) byType.set(type, limit);
  }
  return {
    total: limitOf(numberAt(spec, "capacity", "instances")),
    byType,
    fullTypes: [...reported].flatMap(([type, { remainingUnits }]) =>
      remainingUnits === 0 ? [type] : [],
    ),
  };
}

/** -1 means no limit, as in the fleet managers' configuration. */
function limitOf(amount: number | undefined): number | undefined {
  return amount === undefined || amount < 0 ? undefined : amount;
}

function smaller(one: number | undefined, other: number | undefined): number | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return Math.min(one, other);
}

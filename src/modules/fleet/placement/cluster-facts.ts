// What placement knows about one cluster. Read when the cluster changes, not for each instance.

import { isTrueAt, textAt, textsAt, valueAt } from "../../../kernel/json-read.ts";
import type { Resource } from "../../../kernel/resource.ts";
import { clusterCapacity } from "../clusters/capacity.ts";
import type { ClusterCapacity } from "../clusters/capacity.ts";
import { readCluster } from "../clusters/cluster.ts";
import type { DataPlaneCluster, Operator } from "../clusters/cluster.ts";
import type { ClusterPhase } from "../clusters/phases.ts";
import { newestVersions } from "./versions.ts";
import type { DesiredVersions } from "./versions.ts";

export interface ClusterFacts {
  readonly id: string;
  readonly provider: string;
  readonly region: string;
  readonly isMultiAz: boolean;
  readonly phase: ClusterPhase;
  readonly isDeleting: boolean;
  readonly isDraining: boolean;
  /** The domain of its ingress. */
  readonly dns: string;
  /** Undefined: every offering. */
  readonly offerings: ReadonlySet<string> | undefined;
  /** Undefined: every type. */
  readonly types: ReadonlySet<string> | undefined;
  /** Undefined: every organisation. */
  readonly organisation: string | undefined;
  readonly capacity: ClusterCapacity;
  readonly operators: readonly Operator[];
  /** Offerings that its agent cannot apply at present, with the reason. */
  readonly unavailable: ReadonlyMap<string, string>;
  /** What a new instance runs; undefined when no operator is ready. */
  readonly versions: DesiredVersions | undefined;
  /** Why the cluster takes no instance at all. */
  readonly refusal: string | undefined;
  readonly load: ClusterLoad;
}

/** Units that are placed on the cluster. */
export interface ClusterLoad {
  readonly used: number;
  readonly usedByType: ReadonlyMap<string, number>;
  readonly usedByOffering: ReadonlyMap<string, number>;
}

export const noLoad: ClusterLoad = {
  used: 0,
  usedByType: new Map(),
  usedByOffering: new Map(),
};

export function clusterFacts(resource: Resource, load: ClusterLoad): ClusterFacts {
  const { spec } = resource;
  const cluster = readCluster(resource);
  const operators = cluster.report?.operators ?? [];
  const organisation = textAt(spec, "organisation");
  return {
    id: cluster.id,
    provider: textAt(spec, "provider"),
    region: textAt(spec, "region"),
    isMultiAz: isTrueAt(spec, "isMultiAz"),
    phase: cluster.phase,
    isDeleting: cluster.isDeleting,
    isDraining: cluster.isDraining,
    dns: cluster.dns,
    offerings: cluster.offerings === undefined ? undefined : new Set(cluster.offerings),
    types: valueAt(spec, "types") === undefined ? undefined : new Set(textsAt(spec, "types")),
    organisation: organisation === "" ? undefined : organisation,
    capacity: clusterCapacity(resource),
    operators,
    unavailable: cluster.report?.unavailable ?? new Map(),
    versions: newestVersions(operators),
    refusal: refusalOf(cluster),
    load,
  };
}

function refusalOf(cluster: DataPlaneCluster): string | undefined {
  const { isDeleting, isDraining, isSchedulable, phase } = cluster;
  if (isDeleting) return "is being removed";
  if (!isSchedulable) return "is not schedulable";
  if (isDraining) return "is being drained";
  return phase === "ready" ? undefined : `is not ready: its phase is ${phase}`;
}

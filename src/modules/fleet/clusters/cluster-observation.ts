// What the reconciler of clusters knows before it decides: the state of one cluster, and the parts
// of its status that follow from other resources.

import type { Json, JsonObject } from "../../../kernel/json.ts";
import { equalJson } from "../../../kernel/json.ts";
import { numberAt, objectAt, textAt } from "../../../kernel/json-read.ts";
import { makeMergePatch } from "../../../kernel/merge-patch.ts";
import type { Resource } from "../../../kernel/resource.ts";
import { withoutKey } from "../../../kernel/without-key.ts";
import type { Store } from "../../../store/port.ts";
import { clusterCounter, clusterNamespace, managedInstancesKind } from "../names.ts";
import { clusterCapacity } from "./capacity.ts";
import { readCluster } from "./cluster.ts";
import type { ClusterState } from "./decide.ts";
import type { ClusterPhase } from "./phases.ts";
import { simulatedClusterReport } from "./simulate.ts";

export interface ObservationPorts {
  readonly store: Pick<Store, "list" | "counter">;
}

export interface ObservationInput {
  readonly resource: Resource;
  readonly phase: ClusterPhase;
  readonly nowMs: number;
}

export interface ClusterObservation {
  readonly state: ClusterState;
  /** Merged into the status at the end of the run. */
  readonly status: JsonObject;
  readonly failedReason: string;
}

export async function clusterObservation(
  { store }: ObservationPorts,
  input: ObservationInput,
): Promise<ClusterObservation> {
  const { phase, nowMs } = input;
  const resource = withSimulatedReport(input);
  const cluster = readCluster(resource);
  const namespace = clusterNamespace(cluster.id);
  const query = { kind: managedInstancesKind, namespace, limit: 1, countRemaining: true };
  const { records, remaining = 0 } = await store.list(query);
  const { value: used } = await store.counter(clusterCounter(cluster.id));
  const { total } = clusterCapacity(resource);
  const isSimulated = cluster.executor.kind === "simulator";
  return {
    state: {
      phase,
      isDeleting: cluster.isDeleting,
      isForced: cluster.isForced,
      isSpecNew: (numberAt(resource.status, "observedGeneration") ?? 0) < cluster.generation,
      instances: records.length + remaining,
      isDraining: cluster.isDraining,
      report: cluster.report,
      silenceMs: isSimulated ? undefined : cluster.silenceMs,
      nowMs,
    },
    status: {
      used,
      remaining: total === undefined ? null : Math.max(0, total - used),
      ...(isSimulated ? { report: changedReport(input.resource, resource) } : {}),
    },
    failedReason: textAt(resource.status, "failedReason"),
  };
}

/** As a merge patch, because a status is merged: what is not reported any more is removed. */
function changedReport(before: Resource, after: Resource): Json {
  return makeMergePatch(objectAt(before.status, "report"), objectAt(after.status, "report"));
}

/** The report of a simulated agent, which is stored when it changes. */
function withSimulatedReport({ resource, nowMs }: ObservationInput): Resource {
  const { executor } = readCluster(resource);
  if (executor.kind !== "simulator") return resource;
  const status = objectAt(resource, "status");
  const stored = objectAt(status, "report");
  const current = simulatedClusterReport(executor.simulator);
  const isSame = equalJson(withoutKey(stored, "at"), current);
  const report = isSame ? stored : { ...current, at: new Date(nowMs).toISOString() };
  return { ...resource, status: { ...status, report } };
}

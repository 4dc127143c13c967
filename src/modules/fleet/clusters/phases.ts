// The life cycle of a cluster as one table. Only the reconciler of clusters moves a cluster, and
// only along an edge of this table.

import { assert } from "../../../kernel/assert.ts";

export const clusterPhases = [
  "accepted",
  "provisioning",
  "provisioned",
  "waiting",
  "ready",
  "failed",
  "deprovisioning",
  "cleanup",
] as const;

export type ClusterPhase = (typeof clusterPhases)[number];

/** From each phase to its successors. After `cleanup` the DataPlaneCluster is removed. */
export const clusterTransitions: Readonly<Record<ClusterPhase, readonly ClusterPhase[]>> = {
  // The executor was asked for the cluster.
  accepted: ["provisioning", "failed", "deprovisioning"],
  // The cluster exists, or cannot be created.
  provisioning: ["provisioned", "failed", "deprovisioning"],
  // Namespace, credential and agent are installed.
  provisioned: ["waiting", "failed", "deprovisioning"],
  // The agent reports that it is ready.
  waiting: ["ready", "failed", "deprovisioning"],
  // "waiting": the agent reports that it is not ready, or has not reported for too long.
  ready: ["waiting", "failed", "deprovisioning"],
  // "accepted": the spec has changed.
  failed: ["accepted", "deprovisioning"],
  // No instance is left, and the agent is uninstalled.
  deprovisioning: ["cleanup"],
  cleanup: [],
};

export function isClusterPhase(text: string): text is ClusterPhase {
  return (clusterPhases as readonly string[]).includes(text);
}

/** The next phase; a move that is not in the table is a bug of the caller. */
export function movedCluster(from: ClusterPhase, to: ClusterPhase): ClusterPhase {
  const isAllowed = from === to || clusterTransitions[from].includes(to);
  assert(isAllowed, `a cluster cannot move from ${from} to ${to}`);
  return to;
}

/** Whether the cluster is on its way out. */
export function isLeaving(phase: ClusterPhase): boolean {
  return phase === "deprovisioning" || phase === "cleanup";
}

// The next step of a cluster, from facts alone. The reconciler performs one step, records the
// phase, and decides again. Pure.

import type { ClusterReport } from "./cluster.ts";
import type { ClusterPhase } from "./phases.ts";
import { isLeaving } from "./phases.ts";

export interface ClusterState {
  readonly phase: ClusterPhase;
  readonly isDeleting: boolean;
  /** Instances are not waited for: they are placed on other clusters. */
  readonly isForced: boolean;
  /** The spec has changed since the phase was recorded. */
  readonly isSpecNew: boolean;
  /** ManagedInstances that exist on the cluster. */
  readonly instances: number;
  readonly isDraining: boolean;
  readonly report: ClusterReport | undefined;
  /** Undefined: the cluster has no agent that could be silent. */
  readonly silenceMs: number | undefined;
  readonly nowMs: number;
}

export type ClusterStep =
  /** Asks the executor for the cluster, then `provisioning`. */
  | { readonly kind: "create" }
  /** Asks the executor how far it is, then `provisioned` or `failed`. */
  | { readonly kind: "check" }
  /** Installs what the agent needs, then `waiting`. */
  | { readonly kind: "install" }
  /** Nothing but the phase changes. */
  | { readonly kind: "move"; readonly to: ClusterPhase }
  /** Nothing to do before something happens, or until `againMs`. */
  | Rest
  /** Removes the agent and the cluster through the executor, then `cleanup`. */
  | { readonly kind: "uninstall" }
  /** Removes namespace and credential, then the DataPlaneCluster itself. */
  | { readonly kind: "clean" };

export interface Rest {
  readonly kind: "rest";
  readonly isReady: boolean;
  readonly reason: string;
  readonly message: string;
  readonly againMs?: number;
}

export function decideCluster(facts: ClusterState): ClusterStep {
  const { phase, isDeleting } = facts;
  if (isDeleting && !isLeaving(phase)) return { kind: "move", to: "deprovisioning" };
  switch (phase) {
    case "accepted":
      return { kind: "create" };
    case "provisioning":
      return { kind: "check" };
    case "provisioned":
      return { kind: "install" };
    case "waiting":
    case "ready":
      return withAgent(facts);
    case "failed":
      return facts.isSpecNew ? { kind: "move", to: "accepted" } : failedRest;
    case "deprovisioning":
      return facts.instances > 0 && !facts.isForced ? stillUsed(facts) : { kind: "uninstall" };
    case "cleanup":
      return { kind: "clean" };
    default:
      return phase satisfies never;
  }
}

const failedRest: Rest = {
  kind: "rest",
  isReady: false,
  reason: "Failed",
  message: "see status.failedReason; a change of the spec starts again",
};

function withAgent(facts: ClusterState): ClusterStep {
  const rest = agentState(facts);
  const to = rest.isReady ? "ready" : "waiting";
  return facts.phase === to ? rest : { kind: "move", to };
}

function agentState({ report, silenceMs, nowMs }: ClusterState): Rest {
  if (report === undefined) {
    return notReady("AgentNotSeen", "the agent has not reported yet");
  }
  const silentAtMs = silenceMs === undefined ? Infinity : report.atMs + silenceMs;
  if (nowMs >= silentAtMs) {
    const seconds = Math.round((silenceMs ?? 0) / 1_000);
    return notReady("AgentSilent", `the agent has not reported for ${seconds} seconds`);
  }
  if (!report.isReady) {
    const { reason, message } = report;
    return notReady(reason === "" ? "AgentNotReady" : reason, message || "the agent is not ready");
  }
  const ready = { kind: "rest", isReady: true, reason: "AgentReady", message: "" } as const;
  return silentAtMs === Infinity ? ready : { ...ready, againMs: silentAtMs - nowMs };
}

function notReady(reason: string, message: string): Rest {
  return { kind: "rest", isReady: false, reason, message };
}

function stillUsed({ instances, isDraining }: ClusterState): Rest {
  const are = instances === 1 ? "1 instance is" : `${instances} instances are`;
  const how = isDraining ? "they are being moved" : "set spec.isDraining to move them";
  return notReady("InUse", `${are} on the cluster: ${how}, or delete them`);
}

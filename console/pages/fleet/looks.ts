// How clusters, instances and rollouts look. The words are those of the server.

import type { Cluster, Rollout } from "../../api/fleet.ts";
import type { Look, Tone } from "../../states/states.ts";

const instancePhases: Readonly<Record<string, Look>> = {
  accepted: { tone: "waiting", word: "Accepted" },
  preparing: { tone: "progressing", word: "Preparing" },
  provisioning: { tone: "progressing", word: "Provisioning" },
  ready: { tone: "ready", word: "Ready" },
  failed: { tone: "failed", word: "Failed" },
  suspending: { tone: "paused", word: "Suspending" },
  suspended: { tone: "paused", word: "Suspended" },
  resuming: { tone: "progressing", word: "Resuming" },
  deprovision: { tone: "deleting", word: "Deprovisioning" },
  deleting: { tone: "deleting", word: "Deleting" },
};

const clusterPhases: Readonly<Record<string, Look>> = {
  accepted: { tone: "progressing", word: "Accepted" },
  provisioning: { tone: "progressing", word: "Provisioning" },
  provisioned: { tone: "progressing", word: "Installing" },
  waiting: { tone: "waiting", word: "Waiting" },
  ready: { tone: "ready", word: "Ready" },
  failed: { tone: "failed", word: "Failed" },
  deprovisioning: { tone: "deleting", word: "Removing" },
  cleanup: { tone: "deleting", word: "Removing" },
};

const rolloutPhases: Readonly<Record<string, Look>> = {
  progressing: { tone: "progressing", word: "Progressing" },
  paused: { tone: "failed", word: "Gate failed" },
  rollingBack: { tone: "deleting", word: "Rolling back" },
  completed: { tone: "ready", word: "Completed" },
  rolledBack: { tone: "paused", word: "Rolled back" },
  aborted: { tone: "paused", word: "Aborted" },
};

const notSeen: Look = { tone: "unknown", word: "Not seen yet" };

export function instanceLook(phase: string | undefined): Look {
  return instancePhases[phase ?? ""] ?? notSeen;
}

/** What a ready cluster is kept from comes before that it is ready. */
export function clusterLook({ metadata, spec, status }: Cluster): Look {
  const { phase } = status ?? {};
  if (metadata.deletionTimestamp !== undefined) return { tone: "deleting", word: "Removing" };
  const look = clusterPhases[phase ?? ""] ?? notSeen;
  if (phase !== "ready") return look;
  if (spec.isDraining === true) return { tone: "paused", word: "Draining" };
  if (spec.isSchedulable === false) return { tone: "paused", word: "Not schedulable" };
  return look;
}

export function rolloutLook({ spec, status }: Rollout): Look {
  const { phase } = status ?? {};
  if (phase === "progressing" && spec.action === "pause") return { tone: "paused", word: "Paused" };
  return rolloutPhases[phase ?? ""] ?? notSeen;
}

/** What needs a person comes first. */
const order: readonly Tone[] = [
  "failed",
  "waiting",
  "deleting",
  "drifted",
  "progressing",
  "unknown",
  "paused",
];

export function rankOf({ tone }: Look): number {
  const at = order.indexOf(tone);
  return at < 0 ? order.length : at;
}

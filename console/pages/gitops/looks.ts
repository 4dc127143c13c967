// How the states of deployments and their objects look. The words are those of the server.

import type { SeenObject } from "../../api/gitops.ts";
import type { Look } from "../../states/states.ts";

const syncs: Readonly<Record<string, Look>> = {
  Synced: { tone: "ready", word: "Synced" },
  OutOfSync: { tone: "drifted", word: "Out of sync" },
};

const healths: Readonly<Record<string, Look>> = {
  Healthy: { tone: "ready", word: "Healthy" },
  Progressing: { tone: "progressing", word: "Progressing" },
  Degraded: { tone: "failed", word: "Degraded" },
  Missing: { tone: "waiting", word: "Missing" },
  Suspended: { tone: "paused", word: "Suspended" },
};

const phases: Readonly<Record<string, Look>> = {
  Running: { tone: "progressing", word: "Syncing" },
  Terminating: { tone: "deleting", word: "Ending" },
  Succeeded: { tone: "ready", word: "Succeeded" },
  Failed: { tone: "failed", word: "Failed" },
  Error: { tone: "failed", word: "Error" },
};

export function syncLook(status: string | undefined): Look {
  return syncs[status ?? ""] ?? { tone: "unknown", word: "Sync unknown" };
}

export function healthLook(status: string | undefined): Look {
  return healths[status ?? ""] ?? { tone: "unknown", word: "Health unknown" };
}

export function operationLook(phase: string | undefined): Look {
  return phases[phase ?? ""] ?? { tone: "unknown", word: phase ?? "No sync yet" };
}

/** The one state that says most about an object. */
export function objectLook({ status, health, prune }: SeenObject): Look {
  if (prune === true) return { tone: "deleting", word: "Not in git" };
  const healthIs = health?.status;
  if (healthIs !== undefined && healthIs !== "Healthy") return healthLook(healthIs);
  if (status !== "Synced") return syncLook(status);
  return healthIs === undefined ? { tone: "ready", word: "Synced" } : healthLook(healthIs);
}

/** What needs a person comes first. */
const order = ["failed", "waiting", "deleting", "drifted", "progressing", "unknown", "paused"];

export function rankOf({ tone }: Look): number {
  const at = order.indexOf(tone);
  return at < 0 ? order.length : at;
}

export function worstOf(looks: readonly Look[]): Look {
  const [first, ...rest] = looks;
  const none: Look = { tone: "unknown", word: "Unknown" };
  return rest.reduce((worst, look) => (rankOf(look) < rankOf(worst) ? look : worst), first ?? none);
}

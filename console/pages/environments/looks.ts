// How environments, their resources and operations look. The words are those of the server.

import type { Look } from "../../states/states.ts";

const phases: Readonly<Record<string, Look>> = {
  Deploying: { tone: "progressing", word: "Deploying" },
  DeployedWaiting: { tone: "waiting", word: "Deployed - Waiting" },
  DeployedOk: { tone: "ready", word: "Deployed - OK" },
  DeployedFail: { tone: "failed", word: "Deployed - Fail" },
  Destroying: { tone: "deleting", word: "Destroying" },
  Destroyed: { tone: "stored", word: "Destroyed" },
};

const resources: Readonly<Record<string, Look>> = {
  Waiting: { tone: "waiting", word: "Waiting" },
  Deploying: { tone: "progressing", word: "Deploying" },
  Ready: { tone: "ready", word: "Ready" },
  Failed: { tone: "failed", word: "Failed" },
  Cancelled: { tone: "failed", word: "Cancelled" },
  Removing: { tone: "deleting", word: "Removing" },
};

const operations: Readonly<Record<string, Look>> = {
  Queued: { tone: "waiting", word: "Queued" },
  AwaitingApproval: { tone: "waiting", word: "Awaits approval" },
  Running: { tone: "progressing", word: "Running" },
  Succeeded: { tone: "ready", word: "Succeeded" },
  Failed: { tone: "failed", word: "Failed" },
  Cancelled: { tone: "paused", word: "Cancelled" },
  Superseded: { tone: "paused", word: "Superseded" },
};

export function phaseLook(phase: string | undefined): Look {
  return phases[phase ?? ""] ?? { tone: "unknown", word: phase ?? "Not seen yet" };
}

export function resourceLook(state: string | undefined): Look {
  return resources[state ?? ""] ?? { tone: "unknown", word: state ?? "Unknown" };
}

export function operationLook(phase: string | undefined): Look {
  return operations[phase ?? ""] ?? { tone: "unknown", word: phase ?? "Not seen yet" };
}

/** Failed first, then what changes, then what is well. */
const order = ["DeployedFail", "DeployedWaiting", "Deploying", "Destroying", "DeployedOk"];

export function phaseRank(phase: string | undefined): number {
  const at = order.indexOf(phase ?? "");
  return at < 0 ? order.length : at;
}

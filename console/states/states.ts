// How the states of the server look: a shape, a colour and one word each. The server decides which
// state a resource is in.

import type { ResourceState } from "../api/types.ts";

export type Tone =
  | "ready"
  | "progressing"
  | "waiting"
  | "failed"
  | "paused"
  | "deleting"
  | "drifted"
  | "unknown"
  | "stored";

export interface Look {
  readonly tone: Tone;
  readonly word: string;
}

/** In the order in which they are listed: what needs a person comes first. */
export const stateOrder: readonly ResourceState[] = [
  "Failed",
  "NotReady",
  "Waiting",
  "Drifted",
  "Deleting",
  "Progressing",
  "Paused",
  "Unknown",
  "Ready",
  "Stored",
];

const looks: Readonly<Record<ResourceState, Look>> = {
  Failed: { tone: "failed", word: "Failed" },
  NotReady: { tone: "waiting", word: "Not ready" },
  Waiting: { tone: "waiting", word: "Waiting" },
  Drifted: { tone: "drifted", word: "Drifted" },
  Deleting: { tone: "deleting", word: "Deleting" },
  Progressing: { tone: "progressing", word: "Progressing" },
  Paused: { tone: "paused", word: "Paused" },
  Unknown: { tone: "unknown", word: "Unknown" },
  Ready: { tone: "ready", word: "Ready" },
  Stored: { tone: "stored", word: "Stored" },
};

export function lookOf(state: ResourceState): Look {
  return looks[state] ?? looks.Unknown;
}

/** The states of `why`, which say more about one resource. */
const whyLooks: Readonly<Record<string, Look>> = {
  Ready: looks.Ready,
  Working: { tone: "progressing", word: "Working" },
  Queued: { tone: "progressing", word: "Queued" },
  InProgress: { tone: "progressing", word: "In progress" },
  Waiting: looks.Waiting,
  HeldOff: { tone: "waiting", word: "Delayed" },
  Failing: { tone: "failed", word: "Failing" },
  GivenUp: { tone: "failed", word: "Given up" },
  Missing: { tone: "failed", word: "Missing" },
  Circular: { tone: "failed", word: "Circular" },
  Paused: looks.Paused,
  LeftAlone: { tone: "paused", word: "Left alone" },
  NotReady: looks.NotReady,
  Deleting: looks.Deleting,
  Unattended: { tone: "unknown", word: "Unattended" },
  Unhandled: { tone: "unknown", word: "Not handled" },
  NotVisible: { tone: "unknown", word: "Not visible" },
  Repeated: { tone: "unknown", word: "Shown above" },
};

export function whyLook(state: string): Look {
  return whyLooks[state] ?? { tone: "unknown", word: state };
}

/** True and False of a condition, read by its type: Degraded is well when it is False. */
const badWhenTrue = new Set(["Degraded", "Stalled", "Drifted", "Failed", "ErrorOccurred"]);

function isBadWhenTrue(type: string): boolean {
  return badWhenTrue.has(type) || /(?:Error|Warning|Held)$/.test(type);
}

export function conditionTone(type: string, status: string, reason: string): Tone {
  if (status === "Unknown") return "unknown";
  const isWell = (status === "True") !== isBadWhenTrue(type);
  if (isWell) return "ready";
  if (reason === "Waiting" || reason === "CircuitOpen" || reason === "Busy") return "waiting";
  if (reason === "InProgress") return "progressing";
  if (reason === "ReconcilePaused" || reason === "Skipped") return "paused";
  if (reason === "Failed") return "failed";
  return type === "Ready" || /(?:Warning|Held)$/.test(type) ? "waiting" : "failed";
}

export interface StateCount extends Look {
  readonly state: ResourceState;
  readonly count: number;
}

/** The counts in order. States without resources are left out. */
export function stateCounts(
  states: Readonly<Partial<Record<ResourceState, number>>>,
): readonly StateCount[] {
  return stateOrder
    .map((state) => ({ state, count: states[state] ?? 0, ...lookOf(state) }))
    .filter(({ count }) => count > 0);
}

export function sumStates(
  counts: readonly { readonly states: Readonly<Partial<Record<ResourceState, number>>> }[],
): Readonly<Partial<Record<ResourceState, number>>> {
  const sum: Partial<Record<ResourceState, number>> = {};
  for (const { states } of counts) {
    for (const state of stateOrder) {
      const count = states[state] ?? 0;
      if (count > 0) sum[state] = (sum[state] ?? 0) + count;
    }
  }
  return sum;
}

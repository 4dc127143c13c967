// The life cycle of an instance as one table. A phase changes only along an edge of this table, so
// no worker, agent or request can move an instance backwards in another way. See ADR 22.

import { assert } from "../../../kernel/assert.ts";

export const phases = [
  "accepted",
  "preparing",
  "provisioning",
  "ready",
  "failed",
  "suspending",
  "suspended",
  "resuming",
  "deprovision",
  "deleting",
] as const;

export type Phase = (typeof phases)[number];

/**
 * From each phase to its successors. A phase is also its own successor. After `deleting` the
 * instance is removed, and a DeletedInstance keeps its record.
 */
export const transitions: Readonly<Record<Phase, readonly Phase[]>> = {
  // A cluster was found, or none was found in time.
  accepted: ["preparing", "failed", "deprovision"],
  // The preparations are ready, or cannot become ready.
  preparing: ["provisioning", "failed", "deprovision"],
  // The agent reports the instance ready, or failed. Another placement keeps the phase.
  provisioning: ["ready", "failed", "suspending", "deprovision"],
  // "provisioning": an administrator assigned another cluster.
  ready: ["provisioning", "failed", "suspending", "deprovision"],
  // The agent reports a failed instance ready, or an administrator assigned another cluster.
  failed: ["ready", "provisioning", "suspending", "deprovision"],
  suspending: ["suspended", "resuming", "deprovision"],
  suspended: ["resuming", "deprovision"],
  resuming: ["ready", "failed", "suspending", "deprovision"],
  // The agent reports that the instance does not exist any more, or it was never placed.
  deprovision: ["deleting"],
  deleting: [],
};

export function isPhase(text: string): text is Phase {
  return (phases as readonly string[]).includes(text);
}

export function mayMove(from: Phase, to: Phase): boolean {
  return from === to || transitions[from].includes(to);
}

/** The next phase; a move that is not in the table is a bug of the caller. */
export function moved(from: Phase, to: Phase): Phase {
  assert(mayMove(from, to), `an instance cannot move from ${from} to ${to}`);
  return to;
}

/** Whether the agent should have suspended the instance. */
export function isSuspension(phase: Phase): boolean {
  return phase === "suspending" || phase === "suspended";
}

/** Whether the instance is on its way out: nothing but deletion changes it any more. */
export function isEnding(phase: Phase): boolean {
  return phase === "deprovision" || phase === "deleting";
}

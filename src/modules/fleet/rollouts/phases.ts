// The life of a Rollout as one table. Only its reconciler moves it, and only along an edge.

import { assert } from "../../../kernel/assert.ts";

export const rolloutPhases = [
  "progressing",
  "paused",
  "rollingBack",
  "completed",
  "rolledBack",
  "aborted",
] as const;

export type RolloutPhase = (typeof rolloutPhases)[number];

/** From each phase to its successors. The last three phases are the end. */
export const rolloutTransitions: Readonly<Record<RolloutPhase, readonly RolloutPhase[]>> = {
  progressing: ["paused", "rollingBack", "completed", "aborted"],
  // A gate failed. A change of the spec continues it.
  paused: ["progressing", "rollingBack", "aborted"],
  rollingBack: ["rolledBack", "aborted"],
  completed: [],
  rolledBack: [],
  aborted: [],
};

export function isRolloutPhase(text: string): text is RolloutPhase {
  return (rolloutPhases as readonly string[]).includes(text);
}

/** The next phase; a move that is not in the table is a bug of the caller. */
export function movedRollout(from: RolloutPhase, to: RolloutPhase): RolloutPhase {
  const isAllowed = from === to || rolloutTransitions[from].includes(to);
  assert(isAllowed, `a Rollout cannot move from ${from} to ${to}`);
  return to;
}

export function hasEnded(phase: RolloutPhase): boolean {
  return rolloutTransitions[phase].length === 0;
}

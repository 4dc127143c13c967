// The status of an instance as the APIs show it.

import { isEnding, isPhase } from "../lifecycle/phases.ts";
import type { Phase } from "../lifecycle/phases.ts";

/**
 * A new instance is accepted before its reconciler says so. A deletion is shown from the moment of
 * the request, before the reconciler begins it.
 */
export function shownPhase(stored: string, isDeletionRequested: boolean): Phase {
  const phase = isPhase(stored) ? stored : "accepted";
  return isDeletionRequested && !isEnding(phase) ? "deprovision" : phase;
}

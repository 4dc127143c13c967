// Ends a run from deep inside it with any outcome, by a part of the engine: a system outside that
// is not to be called now, an operation that waits. Authors have `ReconcileFailure` for failures.
// Code between may wrap what it catches, so whoever looks for it follows the causes.

import { ReconcileFailure } from "../outcome.ts";
import type { Outcome } from "../outcome.ts";

const maxCauses = 8;

export class RunEnded extends Error {
  readonly outcome: Outcome;

  constructor(outcome: Outcome, options?: ErrorOptions) {
    super("message" in outcome ? outcome.message : outcome.kind, options);
    this.name = "RunEnded";
    this.outcome = outcome;
  }
}

/** The outcome that an error carries, itself or as one of its causes. */
export function outcomeInside(error: unknown): Outcome | undefined {
  let at = error;
  for (let depth = 0; depth < maxCauses && at instanceof Error; depth += 1) {
    if (at instanceof RunEnded || at instanceof ReconcileFailure) return at.outcome;
    at = at.cause;
  }
  return undefined;
}

// What an error thrown by a reconciler means. Its text may hold anything, a password in a URL for
// one, so only errors that were made to be shown are shown; the others are in the log.

import { isSetpointError } from "../../kernel/errors.ts";
import { failed } from "../outcome.ts";
import type { Outcome } from "../outcome.ts";
import { outcomeReturned } from "./returned-outcome.ts";
import { outcomeInside } from "./run-ended.ts";
import { shownError, shownOutcome } from "./shown.ts";
import { isSuperseded } from "./superseded.ts";
import type { Run } from "./run.ts";

export const defaultTimeoutMs = 600_000;
const longestName = 64;

/**
 * Undefined: the run was stopped, by the server or, since it was superseded, by its author, and
 * says nothing about its resource. Total: what was thrown may be anything, and none of it may keep
 * a run from its end.
 */
export function outcomeOfError(run: Run, error: unknown): Outcome | undefined {
  if (run.abortCause === "stopping") return undefined;
  try {
    return explained(run, error);
  } catch {
    run.around.ports.log.warn({ key: run.key }, "reconciler threw a value that cannot be read");
    return unexpected("an unreadable value");
  }
}

function explained(run: Run, error: unknown): Outcome | undefined {
  const inside = outcomeInside(error);
  if (inside !== undefined) return shownOutcome(run, outcomeReturned(inside));
  if (run.isSuperseded && isSuperseded(error)) return undefined;
  if (run.abortCause === "timeout") return timedOut(run);
  const { log } = run.around.ports;
  const shown = shownError(run, error);
  log.warn({ error: shown, key: run.key, trace: run.traceId }, "reconciler threw an error");
  if (isSetpointError(shown)) return outcomeReturned(failed(reasonOf(shown.code), shown.message));
  const name: unknown = error instanceof Error ? error.name : typeof error;
  return unexpected(typeof name === "string" ? name.slice(0, longestName) : "Error");
}

function unexpected(name: string): Outcome {
  return failed("ReconcileError", `unexpected error (${name}); see the log of the server`);
}

function timedOut(run: Run): Outcome {
  const seconds = Math.round((run.reconciler.timeoutMs ?? defaultTimeoutMs) / 1_000);
  return failed("Timeout", `the run did not finish within ${seconds} s and was stopped`);
}

/** For a run that goes on although it was told to stop. */
export function neverReturned(run: Run): Outcome {
  const seconds = Math.round((run.reconciler.timeoutMs ?? defaultTimeoutMs) / 1_000);
  const message = `the run did not finish within ${seconds} s and ignored the abort signal`;
  return failed("Timeout", message, { retry: "slow" });
}

/** For what is not run while an earlier run of it goes on in the same process. */
export function notReturnedYet(): Outcome {
  const message = "an earlier run did not stop after it was aborted and has not returned";
  return failed("Timeout", message, { retry: "slow", isCounted: false });
}

/** "store.outcome_unknown" becomes "StoreOutcomeUnknown". */
function reasonOf(code: string): string {
  return code
    .split(/[._]/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join("");
}

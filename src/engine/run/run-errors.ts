// What an error thrown by a reconciler means. Its text may hold anything, a password in a URL for
// one, so only errors that were made to be shown are shown; the others are in the log.

import { isSetpointError } from "../../kernel/errors.ts";
import { failed } from "../outcome.ts";
import type { Outcome } from "../outcome.ts";
import { outcomeInside } from "./run-ended.ts";
import type { Run } from "./run.ts";

export const defaultTimeoutMs = 600_000;

/** Undefined: the run was stopped with the server and says nothing about its resource. */
export function outcomeOfError(run: Run, error: unknown): Outcome | undefined {
  if (run.abortCause === "stopping") return undefined;
  const inside = outcomeInside(error);
  if (inside !== undefined) return inside;
  if (run.abortCause === "timeout") return timedOut(run);
  run.around.ports.log.warn({ error, key: run.key }, "a reconciler has thrown");
  if (isSetpointError(error)) return failed(reasonOf(error.code), error.message);
  const name = error instanceof Error ? error.name : typeof error;
  return failed("ReconcileError", `an unexpected error (${name}), which the server's log explains`);
}

/** Reconcilers may be written without types. */
export function outcomeReturned(value: unknown): Outcome {
  const kinds = ["done", "again", "waiting", "failed"];
  const isOutcome = typeof value === "object" && value !== null && "kind" in value;
  if (isOutcome && kinds.includes(String(value.kind))) return value as Outcome;
  return failed("InvalidOutcome", "the reconciler returned something that is no outcome", {
    retry: "slow",
  });
}

function timedOut(run: Run): Outcome {
  const seconds = Math.round((run.reconciler.timeoutMs ?? defaultTimeoutMs) / 1_000);
  return failed("Timeout", `the run did not finish within ${seconds} s and was stopped`);
}

/** "store.outcome_unknown" becomes "StoreOutcomeUnknown". */
function reasonOf(code: string): string {
  return code
    .split(/[._]/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join("");
}

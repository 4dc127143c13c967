// Logs that a run failed, as its reconciler or an error said. The first failures and those of long
// series are warnings; the tries between are for debugging, as events are (reporting/events.ts).

import type { Outcome } from "../outcome.ts";
import type { Run } from "./run.ts";
import { attemptsOf, statusOf } from "./status.ts";

export function logFailure(run: Run, outcome: Outcome): void {
  if (outcome.kind !== "failed") return;
  const { reason, message, retry, isCounted = true } = outcome;
  const attempt = attemptOf(run);
  const level = isCounted && isNotable(attempt) ? "warn" : "debug";
  const { log } = run.around.ports;
  const fields = { key: run.key, reason, cause: message, retry, attempt, trace: run.traceId };
  log[level](fields, "run failed");
}

function isNotable(attempt: number): boolean {
  return attempt > 8 || Number.isInteger(Math.log2(attempt));
}

function attemptOf(run: Run): number {
  if (run.reconciler.ownsStatus === true) return Math.max(1, run.claim.attempts);
  const resource = run.loaded();
  return attemptsOf(statusOf(resource), resource.metadata.generation) + 1;
}

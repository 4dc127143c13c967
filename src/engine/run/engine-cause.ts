// The cause that writes of the engine record: the engine itself, the trace of the run and the
// correlation id of the request. A run continues both from the change that it was claimed at, so
// that a request, the runs that carry it out and their reports are found together.

import type { Cause } from "../../kernel/cause.ts";
import type { Resource } from "../../kernel/resource.ts";
import { reconcileStatusOf, statusOf } from "./status.ts";

/** Of what belongs to no run: the place in the log, adoptions, journals without a resource. */
export const engineCause: Cause = { actor: "system:setpoint:engine", surface: "engine" };

export function causeOfRun(traceId: string, correlationId?: string): Cause {
  if (correlationId === undefined) return { ...engineCause, traceId };
  return { ...engineCause, traceId, correlationId };
}

/**
 * The cause whose trace and correlation id a run continues. A report of the engine belongs to the
 * intent until that intent has succeeded; what comes later (a resync, drift) begins a trace of its
 * own.
 */
export function continuedCause(cause: Cause | undefined, resource: Resource): Cause | undefined {
  const isReport = cause?.surface === engineCause.surface;
  return isReport && hasSucceeded(resource) ? undefined : cause;
}

function hasSucceeded(resource: Resource): boolean {
  const { generation, deletionTimestamp } = resource.metadata;
  const { succeeded } = reconcileStatusOf(statusOf(resource));
  return deletionTimestamp === undefined && succeeded?.["generation"] === generation;
}

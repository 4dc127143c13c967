// The cause that writes of the engine record: the engine itself, and the trace of the run. A run
// continues the trace of the change that it was claimed at, so that a request, the runs that carry
// it out and their reports have one trace.

import type { Cause } from "../../kernel/cause.ts";
import type { Resource } from "../../kernel/resource.ts";
import { reconcileStatusOf, statusOf } from "./status.ts";

/** Of what belongs to no run: the place in the log, adoptions, journals without a resource. */
export const engineCause: Cause = { actor: "system:setpoint:engine", surface: "engine" };

export function causeOfRun(traceId: string): Cause {
  return { ...engineCause, traceId };
}

/**
 * The trace that a run continues. A report of the engine belongs to the trace of the intent until
 * that intent has succeeded; what comes later (a resync, drift) begins a trace of its own.
 */
export function continuedTrace(cause: Cause | undefined, resource: Resource): string | undefined {
  if (cause?.traceId === undefined) return undefined;
  const isReport = cause.surface === engineCause.surface;
  return isReport && hasSucceeded(resource) ? undefined : cause.traceId;
}

function hasSucceeded(resource: Resource): boolean {
  const { generation, deletionTimestamp } = resource.metadata;
  const { succeeded } = reconcileStatusOf(statusOf(resource));
  return deletionTimestamp === undefined && succeeded?.["generation"] === generation;
}

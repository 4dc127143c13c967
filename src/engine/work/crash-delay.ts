// A resource that took its workers down, or the thread of its module, is left alone until its time
// comes, whoever wakes it. One
// that is woken whenever a server starts would otherwise take down every server that starts. A
// change of what is wanted, or somebody who asks, gives it another chance at once.

import { findCondition } from "../../kernel/conditions.ts";
import type { Resource } from "../../kernel/resource.ts";
import { defaultRetry } from "../run/backoff.ts";
import { isUnasked } from "../run/plan.ts";
import type { Reconciler } from "../reconciler.ts";
import { conditionsOf, reconcileStatusOf, statusOf, syncedType } from "../run/status.ts";
import { moduleStopReasons, textOf, workerLostReason } from "../run/status.ts";

const delayedReasons: ReadonlySet<string> = new Set([
  workerLostReason,
  ...Object.values(moduleStopReasons),
]);

/** For how long yet; 0 when it may be run. */
export function putAsideMs(resource: Resource, reconciler: Reconciler, nowMs: number): number {
  const status = statusOf(resource);
  const reason = findCondition(conditionsOf(status), syncedType)?.reason;
  if (reason === undefined || !delayedReasons.has(reason)) return 0;
  if (!isUnasked(resource)) return 0;
  const { nextAttempt } = reconcileStatusOf(status);
  const leftMs = Date.parse(textOf(nextAttempt) ?? "") - nowMs;
  // The clock that the time was written by may have been far from ours.
  const mostMs = reconciler.retry?.slowMostMs ?? defaultRetry.slowMostMs;
  return Number.isNaN(leftMs) ? 0 : Math.min(mostMs, Math.max(0, leftMs));
}

// A resource that fails is left alone for a part of its delay, whoever wakes it. Children and
// references wake it at once, and a run that changes its own child before it fails would wake
// itself for ever as fast as the machine can. What is wanted, and who asks, is not held up.

import { findCondition } from "../../kernel/conditions.ts";
import { isJsonObject } from "../../kernel/json.ts";
import type { JsonObject } from "../../kernel/json.ts";
import type { Resource } from "../../kernel/resource.ts";
import type { ReconcileStatus } from "../ports.ts";
import { isUnasked } from "../run/plan.ts";
import { conditionsOf, reconcileStatusOf, statusOf, syncedType, textOf } from "../run/status.ts";

/** The part of a delay that even a wake does not shorten, within bounds. */
const part = 1 / 4;
const leastMs = 1_000;
const mostMs = 30_000;
/** Where clocks differ by more, what is written is not believed. */
const clocksApartMs = 60_000;

/** For how long yet it is too early for another run; 0 when it may be run. */
export function tooEarlyMs(resource: Resource, nowMs: number): number {
  const status = statusOf(resource);
  // A pause, and its end, are not failures.
  const synced = findCondition(conditionsOf(status), syncedType);
  if (synced?.status !== "False" || synced.reason === "ReconcilePaused") return 0;
  const reconcile = reconcileStatusOf(status);
  const failedMs = isJsonObject(reconcile.lastRun) ? endOf(reconcile.lastRun) : NaN;
  const pauseMs = pauseAfter(reconcile, failedMs);
  if (!(pauseMs > 0) || failedMs > nowMs + clocksApartMs || !isUnasked(resource)) return 0;
  return Math.ceil(Math.min(pauseMs, Math.max(0, failedMs + pauseMs - nowMs)));
}

function pauseAfter({ nextAttempt, retry, attempts }: ReconcileStatus, failedMs: number): number {
  if (retry === "never") {
    // There is no delay to take a part of: only others bring it back.
    const times = typeof attempts === "number" ? Math.min(10, Math.max(0, attempts - 1)) : 0;
    return Math.min(mostMs, leastMs * 2 ** times);
  }
  // Both are whole seconds, cut off: what comes out is never after the time that was set.
  const delayMs = Date.parse(textOf(nextAttempt) ?? "") - failedMs;
  return Math.min(delayMs, mostMs, Math.max(leastMs, delayMs * part));
}

function endOf({ startedAt, tookMs }: JsonObject): number {
  return Date.parse(textOf(startedAt) ?? "") + (typeof tookMs === "number" ? tookMs : 0);
}

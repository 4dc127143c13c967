// The next step of an instance that is not being deleted. Pure: facts in, one step out. The
// reconciler performs the step, reads the facts again and asks again, until the step is "rest".

import { foreignRouter } from "../clusters/route.ts";
import { spanText } from "../../../kernel/span-text.ts";
import type { Facts, Prepared } from "./facts.ts";
import { isExpired, nextDeadlineMs, removalDeadline, suspensionReason } from "./expiry.ts";
import { mayMove } from "./phases.ts";
import type { Phase } from "./phases.ts";
import { replacesRoutes } from "./route-change.ts";

export type Step =
  /** Ask the quota service for the instance. */
  | { readonly kind: "reserve" }
  /** Choose a cluster and create the ManagedInstance there. */
  | { readonly kind: "place" }
  /** Give up the placement: the cluster rejected it, or it must leave the cluster. */
  | { readonly kind: "displace"; readonly why: DisplaceReason; readonly message: string }
  /** Ask the same cluster again, under a new placement id. */
  | { readonly kind: "repeat"; readonly message: string }
  | Move
  /** Store the routes that the agent reported. */
  | { readonly kind: "route" }
  /** The preparations of the routes are ready. */
  | { readonly kind: "routed" }
  | { readonly kind: "deny"; readonly isDenied: boolean }
  | { readonly kind: "expire"; readonly isExpired: boolean }
  /** Delete what earlier placements left on other clusters. `isSettled`: also what serves. */
  | { readonly kind: "leave"; readonly isSettled: boolean }
  /** Delete the instance without a request. */
  | { readonly kind: "remove"; readonly reason: string; readonly isBounded: boolean }
  | Rest;

export interface Move {
  readonly kind: "move";
  readonly to: Phase;
  readonly reason?: string;
  /** For operators. */
  readonly detail?: string;
}

export type DisplaceReason = "full" | "leaving" | "no-cluster";

/** Nothing to do until something changes, or until `afterMs`. */
export interface Rest {
  readonly kind: "rest";
  readonly isReady: boolean;
  readonly reason: string;
  readonly message: string;
  readonly afterMs: number | undefined;
}

/** Between two placements of an instance that clusters reject: doubled each time. */
const repeatFirstMs = 1_000;
const repeatMostMs = 300_000;

export function decide(facts: Facts): Step {
  const { instance, isDenied, nowMs, isRemovalHeld } = facts;
  if (isDenied !== (instance.deniedAtMs !== undefined)) return { kind: "deny", isDenied };
  if (isExpired(facts) !== (instance.expiredAtMs !== undefined)) {
    return { kind: "expire", isExpired: isExpired(facts) };
  }
  const removal = removalDeadline(facts);
  if (removal !== undefined && removal.atMs <= nowMs && !isRemovalHeld) {
    const { reason, isBounded } = removal;
    return { kind: "remove", reason, isBounded };
  }
  if (facts.leftovers.some(({ state }) => state === "gone")) {
    return { kind: "leave", isSettled: false };
  }
  switch (instance.phase) {
    case "accepted":
      return accepted(facts);
    case "preparing":
      return preparing(facts);
    case "suspending":
    case "suspended":
      return suspended(facts);
    case "provisioning":
    case "ready":
    case "failed":
    case "resuming":
      return placed(facts);
    case "deprovision":
    case "deleting":
      return rest(facts, "Deleting", "the instance is being deleted");
    default:
      return instance.phase satisfies never;
  }
}

function accepted(facts: Facts): Step {
  const { instance, isManaged } = facts;
  const hold = suspensionReason(facts);
  if (hold !== undefined) return rest(facts, "Suspended", hold);
  if (facts.quota === "needed") return { kind: "reserve" };
  if (instance.placement === undefined || !isManaged) return { kind: "place" };
  return { kind: "move", to: "preparing" };
}

function preparing(facts: Facts): Step {
  const { instance, preparing: state, offering, isManaged, cluster } = facts;
  const hold = suspensionReason(facts);
  if (hold !== undefined) return rest(facts, "Suspended", hold);
  if (instance.placement === undefined) return { kind: "place" };
  if (cluster === undefined) return displaced("no-cluster", facts);
  if (facts.leave === "possible") return displaced("leaving", facts);
  if (!isManaged) return { kind: "place" };
  if (state.kind === "failed") return failedPreparation(state);
  if (state.kind === "ready") return { kind: "move", to: "provisioning" };
  const untilMs = instance.phaseSinceMs + offering.timeouts.preparation;
  if (untilMs <= facts.nowMs) {
    const span = spanText(offering.timeouts.preparation);
    const reason = `not prepared after ${span}: ${state.message}`;
    return { kind: "move", to: "failed", reason };
  }
  const timeout = timedOut(facts, state.message);
  return timeout ?? rest(facts, "Preparing", state.message, Math.min(untilMs, timeoutAtMs(facts)));
}

function failedPreparation({
  message: reason,
  detail,
}: Extract<Prepared, { readonly kind: "failed" }>): Move {
  return { kind: "move", to: "failed", reason, detail };
}

/** Provisioning, ready, failed and resuming: the agent has the instance. */
function placed(facts: Facts): Step {
  const { instance, cluster, isManaged, report } = facts;
  if (isFailedBefore(facts)) return rest(facts, "Failed", instance.failedReason);
  const suspension = suspensionReason(facts);
  if (suspension !== undefined && mayMove(instance.phase, "suspending") && isManaged) {
    return { kind: "move", to: "suspending", reason: suspension };
  }
  if (instance.placement === undefined) {
    return instance.phase === "failed" ? unplacedFailure(facts) : { kind: "place" };
  }
  if (cluster === undefined) return displaced("no-cluster", facts);
  if (facts.leave === "possible") return displaced("leaving", facts);
  if (!isManaged) return { kind: "place" };
  const { preparing: state } = facts;
  if (state.kind === "failed") {
    if (instance.phase === "provisioning") return failedPreparation(state);
    if (instance.phase === "failed") return rest(facts, "Failed", instance.failedReason);
  }
  const kind = report?.kind ?? "unknown";
  switch (kind) {
    case "ready":
      return reportedReady(facts);
    case "error":
      return reportedError(facts);
    case "rejected":
      return reportedRejection(facts);
    case "installing":
      return newRoutes(facts) ?? installing(facts);
    // "Deleted" and "suspended" of a live instance change nothing.
    case "deleted":
    case "suspended":
    case "unknown":
      return installing(facts);
    default:
      return kind satisfies never;
  }
}

/**
 * The instance failed before the agent got it: a report cannot make it ready. An administrator may
 * delete it, or assign another cluster, which begins again.
 */
function isFailedBefore({ instance, leave }: Facts): boolean {
  const { phase, wasProvisioned, placement } = instance;
  return phase === "failed" && !wasProvisioned && placement !== undefined && leave !== "possible";
}

/** The placement failed. It is repeated when an administrator assigns a cluster. */
function unplacedFailure(facts: Facts): Step {
  const { instance, quota } = facts;
  const isAssigned = instance.assigned.cluster !== undefined;
  if (isAssigned && quota === "settled") return { kind: "move", to: "provisioning" };
  return rest(facts, "Failed", instance.failedReason);
}

function reportedReady(facts: Facts): Step {
  const { instance, routes, report } = facts;
  const step = newRoutes(facts);
  if (step !== undefined) return step;
  if (instance.routes.length === 0) {
    return waitingForRoutes(facts, report?.routesProblem ?? "the agent has reported no routes");
  }
  if (routes.kind !== "ready") return waitingForRoutes(facts, routes.message);
  if (!instance.isRouted) return { kind: "routed" };
  if (instance.phase !== "ready") return { kind: "move", to: "ready" };
  if (hasPresentLeftovers(facts)) return { kind: "leave", isSettled: true };
  return readyRest(facts);
}

function readyRest(facts: Facts): Rest {
  const message =
    facts.leave === "blocked"
      ? "the instance can be used; no other cluster can host it at the moment"
      : "the instance can be used";
  return { ...rest(facts, "Ready", message), isReady: true };
}

/** See route-change.ts. */
function newRoutes(facts: Facts): Step | undefined {
  const { instance, report, cluster } = facts;
  if (report === undefined || !replacesRoutes(instance, report.routes)) return undefined;
  const foreign = foreignRouter(report.routes, cluster?.domain ?? "");
  if (foreign === undefined) return { kind: "route" };
  const message = `the agent reported the router ${foreign}, which is not in the cluster's domain`;
  return waitingForRoutes(facts, message);
}

function waitingForRoutes(facts: Facts, message: string): Step {
  if (facts.instance.phase === "ready") {
    return { ...rest(facts, "RoutesNotReady", message), isReady: true };
  }
  return timedOut(facts, message) ?? restUntilTimeout(facts, "WaitingForRoutes", message);
}

function reportedError(facts: Facts): Step {
  const { instance, report } = facts;
  const message = `the instance failed on its cluster: ${report?.message || "no reason was given"}`;
  if (instance.phase !== "failed") return { kind: "move", to: "failed", reason: message };
  return rest(facts, "Failed", instance.failedReason);
}

function reportedRejection(facts: Facts): Step {
  const { instance, report, nowMs } = facts;
  const message = report?.message || "no reason was given";
  if (instance.phase !== "provisioning") return installing(facts);
  if (report?.isFull === true) return displaced("full", facts);
  const timeout = timedOut(facts, `the cluster rejects the instance: ${message}`);
  if (timeout !== undefined) return timeout;
  const { attempts, placedAtMs } = instance;
  const pauseMs = Math.min(repeatFirstMs * 2 ** Math.min(attempts, 20), repeatMostMs);
  const untilMs = placedAtMs + pauseMs;
  if (untilMs <= nowMs) return { kind: "repeat", message };
  return rest(facts, "Rejected", `the cluster rejected the instance: ${message}`, untilMs);
}

function installing(facts: Facts): Step {
  const { instance } = facts;
  switch (instance.phase) {
    case "ready":
      return readyRest(facts);
    case "failed":
      return rest(facts, "Failed", instance.failedReason);
    default: {
      const message = "the agent of the cluster installs the instance";
      return timedOut(facts, message) ?? restUntilTimeout(facts, "Provisioning", message);
    }
  }
}

function suspended(facts: Facts): Step {
  const { instance, report, cluster, isManaged } = facts;
  const reason = suspensionReason(facts);
  if (reason === undefined) return { kind: "move", to: "resuming" };
  if (instance.placement === undefined) return { kind: "place" };
  if (cluster === undefined) return displaced("no-cluster", facts);
  if (facts.leave === "possible") return displaced("leaving", facts);
  if (!isManaged) return { kind: "place" };
  if (report?.kind === "suspended") {
    const step = newRoutes(facts);
    if (step?.kind === "route") return step;
    if (instance.phase === "suspending") return { kind: "move", to: "suspended" };
    if (hasPresentLeftovers(facts)) return { kind: "leave", isSettled: true };
  }
  const word = instance.phase === "suspended" ? "Suspended" : "Suspending";
  return rest(facts, word, reason);
}

function hasPresentLeftovers({ leftovers }: Facts): boolean {
  return leftovers.some(({ state }) => state === "present");
}

/**
 * The time in which an instance must become ready, from its creation. It starts again when an
 * instance that was ready or failed is placed again, and when a suspended one resumes.
 */
function timedOut(facts: Facts, message: string): Step | undefined {
  const { instance, offering, nowMs } = facts;
  if (!timedPhases.has(instance.phase)) return undefined;
  if (timeoutAtMs(facts) > nowMs) return undefined;
  const span = spanText(offering.timeouts.creation);
  return { kind: "move", to: "failed", reason: `not ready after ${span}: ${message}` };
}

const timedPhases: ReadonlySet<Phase> = new Set(["preparing", "provisioning", "resuming"]);

function timeoutAtMs({ instance, offering }: Facts): number {
  const { phase, phaseSinceMs, budgetSinceMs } = instance;
  return (phase === "resuming" ? phaseSinceMs : budgetSinceMs) + offering.timeouts.creation;
}

function restUntilTimeout(facts: Facts, reason: string, message: string): Rest {
  return rest(facts, reason, message, timeoutAtMs(facts));
}

function displaced(why: DisplaceReason, facts: Facts): Step {
  const cluster = facts.instance.placement?.cluster ?? "";
  const messages: Record<DisplaceReason, string> = {
    full: `cluster ${cluster} has no room for the instance`,
    leaving: `the instance leaves cluster ${cluster}`,
    "no-cluster": `cluster ${cluster} does not exist any more`,
  };
  return { kind: "displace", why, message: messages[why] };
}

function rest(facts: Facts, reason: string, message: string, untilMs?: number): Rest {
  const times = [untilMs, nextDeadlineMs(facts)].filter((at) => at !== undefined);
  const afterMs = times.length === 0 ? undefined : Math.max(0, Math.min(...times) - facts.nowMs);
  return { kind: "rest", isReady: false, reason, message, afterMs };
}

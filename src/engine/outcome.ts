// How a run ended, as its reconciler says. Two questions are kept apart: `Synced` is whether the
// loop worked, `Ready` is whether the thing can be used. A thing may be usable while the loop fails
// (a password was rotated away under us) and the loop may work while it is not (it is being built).

import type { JsonObject } from "../kernel/json.ts";
import type { Reference } from "./reconciler.ts";

export type Outcome = Done | Again | Waiting | Failed;

interface Reported {
  /** Merged into the status (a null removes). */
  readonly status?: JsonObject;
  /** Whether it can be used, where that is not what the outcome suggests; "keep": as before. */
  readonly ready?: Readiness | "keep";
}

export interface Readiness {
  readonly status: "True" | "False" | "Unknown";
  readonly reason: string;
  readonly message: string;
}

/** Reality is as wanted. Ready unless it says otherwise. */
export interface Done extends Reported {
  readonly kind: "done";
  /** Looked at again about then, where the resource has a pace of its own. */
  readonly resyncMs?: number;
}

/** Going on well but not finished: look again then. Not ready unless it says otherwise. */
export interface Again extends Reported {
  readonly kind: "again";
  readonly afterMs: number;
  readonly reason: string;
  readonly message: string;
}

/** Cannot go on before others have. Woken when one of them changes; not ready. */
export interface Waiting extends Reported {
  readonly kind: "waiting";
  readonly on: readonly Blocker[];
  readonly message: string;
}

export interface Blocker extends Reference {
  /** The condition that must become true; without one it is enough to exist. */
  readonly condition?: string;
  /** It exists, and is not yet as it is needed; what that is says the message. */
  readonly isThere?: boolean;
}

/** The loop failed; whether the thing can be used is as before unless it says otherwise. */
export interface Failed extends Reported {
  readonly kind: "failed";
  /**
   * "never": not before the spec changes, somebody asks, or something changes that the run looked
   * at by `references`. A deletion is always tried again.
   */
  readonly retry: "soon" | "slow" | "never";
  readonly reason: string;
  readonly message: string;
  /** What the outside asked for (Retry-After). */
  readonly afterMs?: number;
  /** False: it was not even tried, so it is not one more failed attempt. */
  readonly isCounted?: boolean;
}

export function done(given: Omit<Done, "kind"> = {}): Done {
  return { kind: "done", ...given };
}

export function again(
  afterMs: number,
  given: Partial<Omit<Again, "kind" | "afterMs">> = {},
): Again {
  return { kind: "again", afterMs, reason: "InProgress", message: "", ...given };
}

export function waiting(
  on: Blocker | readonly Blocker[],
  given: Partial<Omit<Waiting, "kind" | "on">> = {},
): Waiting {
  const blockers = "name" in on ? [on] : on;
  return { kind: "waiting", on: blockers, message: "", ...given };
}

export function failed(
  reason: string,
  message: string,
  given: Partial<Omit<Failed, "kind" | "reason" | "message">> = {},
): Failed {
  return { kind: "failed", retry: "soon", reason, message, ...given };
}

/** For code deep inside a reconciler: throwing it is the same as returning the outcome. */
export class ReconcileFailure extends Error {
  readonly outcome: Failed;

  constructor(outcome: Failed, options?: ErrorOptions) {
    super(outcome.message, options);
    this.name = "ReconcileFailure";
    this.outcome = outcome;
  }
}

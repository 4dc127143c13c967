/**
 * How work stands, as a store tells it to people who ask. Times are relative and on the database's
 * clock, so they mean the same in every process.
 */
import type { ResourceKey } from "../kernel/resource.ts";

export interface WorkState {
  /**
   * Milliseconds until it is due, below zero when it has been due for a while, undefined when
   * nothing is planned. Under a live claim: what a wake has asked for after its release.
   */
  readonly dueInMs: number | undefined;
  /** Claims since they were last reset. */
  readonly attempts: number;
  /** Who works on it; an expired claim is none. */
  readonly claim: LiveClaim | undefined;
}

export interface LiveClaim {
  readonly owner: string;
  readonly token: number;
  readonly expiresInMs: number;
}

export interface BacklogQuery {
  readonly kind: string;
  /** undefined: all namespaces. */
  readonly namespace?: string;
  /** How many of those that come next to tell. */
  readonly limit?: number;
}

export interface Backlog {
  /** How many are due and nobody works on; counting stops at `readLimits.countedDue`. */
  readonly due: number;
  /** In the order of their due times, or of the ends of their leases while they are claimed. */
  readonly next: readonly WorkItem[];
}

export interface WorkItem {
  readonly key: ResourceKey;
  readonly work: WorkState;
}

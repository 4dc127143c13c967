// How often a tenant may do something in a time: a bucket of tokens that refills. Admission
// (admit.ts) bounds what a tenant holds at once; this bounds what it does over time. Each server
// counts for itself.

import type { Clock } from "../../kernel/clock.ts";

export interface Rate {
  readonly perSecond: number;
  readonly burst: number;
}

interface Bucket {
  tokens: number;
  atMs: number;
}

/** Has a life cycle, hence a class. */
export class TokenBuckets {
  readonly #clock: Clock;
  readonly #maxTenants: number;
  /** The tenant that was seen least recently is the first. */
  readonly #buckets = new Map<string, Bucket>();

  constructor(clock: Clock, maxTenants: number) {
    this.#clock = clock;
    this.#maxTenants = maxTenants;
  }

  /** Takes a token. Returns 0, or after how many seconds there is one. */
  take(tenant: string, { perSecond, burst }: Rate): number {
    const nowMs = this.#clock.nowMs();
    const before = this.#buckets.get(tenant);
    const { tokens: left, atMs } = before ?? { tokens: burst, atMs: nowMs };
    const refilled = (Math.max(nowMs - atMs, 0) / 1_000) * perSecond;
    const tokens = Math.min(left + refilled, burst);
    const isAllowed = tokens >= 1;
    this.#buckets.delete(tenant);
    this.#buckets.set(tenant, { tokens: isAllowed ? tokens - 1 : tokens, atMs: nowMs });
    this.#dropOldest();
    return isAllowed ? 0 : (1 - tokens) / perSecond;
  }

  /** A tenant that is forgotten has a full bucket again, so that memory is bounded. */
  #dropOldest(): void {
    if (this.#buckets.size <= this.#maxTenants) return;
    const [oldest] = this.#buckets.keys();
    if (oldest !== undefined) this.#buckets.delete(oldest);
  }
}

// How many requests a tenant may send in a time: a bucket of tokens that refills. It bounds what
// one organisation costs over time, while admission (surfaces/http/admit.ts) bounds what it costs
// at once. Each server counts for itself.

import type { Clock } from "../../kernel/clock.ts";
import { SetpointError } from "../../kernel/errors.ts";

export interface RateLimit {
  readonly perSecond: number;
  readonly burst: number;
}

interface Bucket {
  tokens: number;
  atMs: number;
}

export class RateLimiter {
  readonly #clock: Clock;
  readonly #maxTenants: number;
  /** The tenant that was seen least recently is the first. */
  readonly #buckets = new Map<string, Bucket>();

  constructor(clock: Clock, maxTenants: number) {
    this.#clock = clock;
    this.#maxTenants = maxTenants;
  }

  /** Throws fleet.rate_limited. */
  take(tenant: string, { perSecond, burst }: RateLimit): void {
    const nowMs = this.#clock.nowMs();
    const before = this.#buckets.get(tenant);
    const { tokens: left, atMs } = before ?? { tokens: burst, atMs: nowMs };
    const refilled = (Math.max(nowMs - atMs, 0) / 1_000) * perSecond;
    const tokens = Math.min(left + refilled, burst);
    const isAllowed = tokens >= 1;
    this.#buckets.delete(tenant);
    this.#buckets.set(tenant, { tokens: isAllowed ? tokens - 1 : tokens, atMs: nowMs });
    this.#dropOldest();
    if (!isAllowed) throw limited((1 - tokens) / perSecond);
  }

  /** A tenant that is forgotten has a full bucket again, so that memory is bounded. */
  #dropOldest(): void {
    if (this.#buckets.size <= this.#maxTenants) return;
    const [oldest] = this.#buckets.keys();
    if (oldest !== undefined) this.#buckets.delete(oldest);
  }
}

function limited(seconds: number): SetpointError {
  const retryAfterSeconds = Math.max(Math.ceil(seconds), 1);
  const message = `too many requests: repeat the request in ${retryAfterSeconds} s`;
  return new SetpointError("fleet.rate_limited", message, { details: { retryAfterSeconds } });
}

// How many requests a tenant may send in a time. It bounds what one organisation costs over time,
// while admission (surfaces/http/admit.ts) bounds what it costs at once.

import type { Clock } from "../../kernel/clock.ts";
import { SetpointError } from "../../kernel/errors.ts";
import { TokenBuckets } from "../http/token-buckets.ts";
import type { Rate } from "../http/token-buckets.ts";

export class RateLimiter {
  readonly #buckets: TokenBuckets;

  constructor(clock: Clock, maxTenants: number) {
    this.#buckets = new TokenBuckets(clock, maxTenants);
  }

  /** Throws fleet.rate_limited. */
  take(tenant: string, rate: Rate): void {
    const seconds = this.#buckets.take(tenant, rate);
    if (seconds > 0) throw limited(seconds);
  }
}

function limited(seconds: number): SetpointError {
  const retryAfterSeconds = Math.max(Math.ceil(seconds), 1);
  const message = `too many requests: repeat the request in ${retryAfterSeconds} s`;
  return new SetpointError("fleet.rate_limited", message, { details: { retryAfterSeconds } });
}

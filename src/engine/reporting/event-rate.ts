// How many Events one resource may cause: a burst, then one every few minutes, as Kubernetes' own
// components limit themselves. A resource that turns back and forth all day would otherwise fill
// the store and hide what others have to tell. Resources are remembered within a bound; one that
// was forgotten begins with a full burst again.

export interface EventRateOptions {
  readonly burst?: number;
  /** One more after each of these. */
  readonly refillMs?: number;
  readonly maxResources?: number;
}

interface Bucket {
  tokens: number;
  atMs: number;
}

export class EventRate {
  readonly #burst: number;
  readonly #refillMs: number;
  readonly #maxResources: number;
  /** The longest unused first. */
  readonly #buckets = new Map<string, Bucket>();

  constructor({ burst = 25, refillMs = 300_000, maxResources = 4_096 }: EventRateOptions = {}) {
    this.#burst = burst;
    this.#refillMs = refillMs;
    this.#maxResources = maxResources;
  }

  /** Whether one more may be told of the resource, which then counts. */
  admits(uid: string, nowMs: number): boolean {
    const bucket = this.#buckets.get(uid) ?? { tokens: this.#burst, atMs: nowMs };
    this.#buckets.delete(uid);
    this.#buckets.set(uid, bucket);
    if (this.#buckets.size > this.#maxResources) {
      const [oldest] = this.#buckets.keys();
      if (oldest !== undefined) this.#buckets.delete(oldest);
    }
    // A clock that was set back gives nothing and takes nothing.
    const passedMs = Math.max(0, nowMs - bucket.atMs);
    bucket.tokens = Math.min(this.#burst, bucket.tokens + passedMs / this.#refillMs);
    bucket.atMs = nowMs;
    if (bucket.tokens < 1) return false;
    bucket.tokens -= 1;
    return true;
  }
}

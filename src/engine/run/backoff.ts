// How long to wait after a failure: it doubles with each failed try up to a cap, and is made up to
// a quarter shorter by chance, so that what failed together does not come back together.

import type { Random } from "../../kernel/random.ts";
import type { RetryPolicy } from "../reconciler.ts";

export const defaultRetry: RetryPolicy = {
  soonFirstMs: 1_000,
  soonMostMs: 300_000,
  slowFirstMs: 60_000,
  slowMostMs: 3_600_000,
};

/** `attempts` is 1 after the first failure. */
export function backoffMs(
  pace: "soon" | "slow",
  attempts: number,
  policy: Partial<RetryPolicy> | undefined,
  random: Random,
): number {
  const { soonFirstMs, soonMostMs, slowFirstMs, slowMostMs } = { ...defaultRetry, ...policy };
  const [firstMs, mostMs] = pace === "soon" ? [soonFirstMs, soonMostMs] : [slowFirstMs, slowMostMs];
  // Beyond 2^40 every cap is reached; an exponent without a bound would end at infinity.
  const doubledMs = firstMs * 2 ** Math.min(40, Math.max(0, attempts - 1));
  return Math.max(1, Math.round(Math.min(mostMs, doubledMs) * (1 - random.next() / 4)));
}

/** A delay spread evenly by a tenth to both sides. */
export function spreadMs(delayMs: number, random: Random): number {
  return Math.max(1, Math.round(delayMs * (0.9 + random.next() / 5)));
}

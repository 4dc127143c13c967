// How often a service may be asked: so many requests a second, and a few at once. Who would have to
// wait for longer than a moment is told when to come again, so that a slow service does not hold
// the workers that others need.

import type { Clock } from "../../../kernel/clock.ts";

export interface TokenBucket {
  /** Takes one, to be used after so many milliseconds; "later": none was taken. */
  take():
    | { readonly kind: "after"; readonly ms: number }
    | { readonly kind: "later"; readonly ms: number };
}

const longestWaitMs = 1_000;

export function tokenBucket(
  { perSecond, burst }: { readonly perSecond: number; readonly burst: number },
  clock: Clock,
): TokenBucket {
  let tokens = burst;
  let atMs = clock.nowMs();
  return {
    take: () => {
      const nowMs = clock.nowMs();
      // A clock that goes back gives nothing.
      tokens = Math.min(burst, tokens + (Math.max(0, nowMs - atMs) * perSecond) / 1_000);
      atMs = nowMs;
      const ms = tokens >= 1 ? 0 : Math.ceil(((1 - tokens) * 1_000) / perSecond);
      if (ms > longestWaitMs) return { kind: "later", ms };
      tokens -= 1;
      return { kind: "after", ms };
    },
  };
}

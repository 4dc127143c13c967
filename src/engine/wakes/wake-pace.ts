// How soon a resource may be woken by others: at once, ten times in a row, and then once a second.
// Two resources that change because of each other, or one that changes its child in every run,
// would otherwise go on as fast as the machine can. No wake is dropped, none waits for longer than
// that second, and what is remembered is bounded: who is forgotten begins anew.

import { keyText } from "../../kernel/resource.ts";
import type { ResourceKey } from "../../kernel/resource.ts";

export interface WakePace {
  /** How long to wait with a wake that is asked for now. */
  delayMs(key: ResourceKey, nowMs: number): number;
}

const spacingMs = 1_000;
const atOnce = 10;
const mostRemembered = 10_000;

interface Bucket {
  /** With each wake it moves on by the spacing; how far it is ahead says how many came lately. */
  fullAtMs: number;
  /** Until when a wake that was put off is yet to come. */
  putOffUntilMs: number;
}

export function createWakePace(): WakePace {
  let recent = new Map<string, Bucket>();
  let older = new Map<string, Bucket>();

  const bucketOf = (key: ResourceKey): Bucket => {
    const text = keyText(key);
    const known = recent.get(text);
    if (known !== undefined) return known;
    const bucket = older.get(text) ?? { fullAtMs: -Infinity, putOffUntilMs: -Infinity };
    if (recent.size >= mostRemembered) {
      older = recent;
      recent = new Map();
    }
    recent.set(text, bucket);
    return bucket;
  };

  return {
    delayMs: (key, nowMs) => {
      const bucket = bucketOf(key);
      // One that was put off is early enough for all that are asked for before it.
      const leftMs = bucket.putOffUntilMs - nowMs;
      if (leftMs > 0) return Math.ceil(Math.min(spacingMs, leftMs));
      const fullAtMs = Math.min(Math.max(nowMs, bucket.fullAtMs), nowMs + atOnce * spacingMs);
      bucket.fullAtMs = fullAtMs + spacingMs;
      const delayMs = Math.max(0, Math.ceil(fullAtMs - nowMs) - (atOnce - 1) * spacingMs);
      bucket.putOffUntilMs = nowMs + delayMs;
      return delayMs;
    },
  };
}

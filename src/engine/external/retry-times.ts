// Tells those who were refused when to come again, so that they do not all come at once when there
// is hope: each namespace gets one moment after the other, the further apart the more namespaces
// there are, and chance moves every one of them. Together they come at a bounded rate, and a
// namespace with one resource does not wait behind one with ten thousand.

import type { Random } from "../../kernel/random.ts";

export interface Comeback {
  /** A time not before the one given. */
  next(namespace: string, notBeforeMs: number, nowMs: number): number;
}

export interface ComebackOptions {
  readonly random: Random;
  /** Apart on average, of all together. */
  readonly everyMs?: number;
  /** Nobody is sent further than this behind the time there is hope. */
  readonly mostMs?: number;
}

const maxNamespaces = 10_000;
const sweepMs = 1_000;

export function createComeback(options: ComebackOptions): Comeback {
  const { random, everyMs = 20, mostMs = 300_000 } = options;
  /** The last moment that was given away. */
  const last = new Map<string, number>();
  let sweptMs = Number.NEGATIVE_INFINITY;
  let newestMs = Number.NEGATIVE_INFINITY;

  const sweep = (nowMs: number): void => {
    // The clock was set back: what was given away by it before is not what its times mean now.
    const isSetBack = nowMs < newestMs - sweepMs;
    if (isSetBack) last.clear();
    newestMs = isSetBack ? nowMs : Math.max(newestMs, nowMs);
    if (Math.abs(nowMs - sweptMs) < sweepMs && last.size < maxNamespaces) return;
    sweptMs = nowMs;
    for (const [namespace, atMs] of last) {
      if (atMs <= nowMs || last.size >= maxNamespaces) last.delete(namespace);
    }
  };

  return {
    next: (namespace, notBeforeMs, nowMs) => {
      sweep(nowMs);
      const before = Math.max(notBeforeMs, last.get(namespace) ?? 0);
      const apartMs = everyMs * Math.max(1, last.size + (last.has(namespace) ? 0 : 1));
      const atMs = before + apartMs * (0.5 + random.next());
      if (atMs > notBeforeMs + mostMs) return Math.ceil(notBeforeMs + mostMs * random.next());
      last.set(namespace, atMs);
      return Math.ceil(atMs);
    },
  };
}

// While many resources change, each change wakes their Environment. To look at all of them each
// time would cost more than their own work, so an Environment looks again after a pause that grows
// with the time that it took to look.

export interface SummaryPace {
  /** Milliseconds to wait before the resources are looked at again; 0: look now. */
  readonly wait: (uid: string, nowMs: number) => number;
  /** Notes that all resources were looked at. */
  readonly looked: (uid: string, startedMs: number, nowMs: number) => void;
}

const shortestMs = 200;
const longestMs = 5_000;
/** Looking uses at most about a tenth of the time. */
const factor = 10;
const mostRemembered = 10_000;

export function summaryPace(): SummaryPace {
  const next = new Map<string, number>();
  return {
    wait: (uid, nowMs) => {
      const leftMs = (next.get(uid) ?? 0) - nowMs;
      // A clock that was set back does not stop it.
      return leftMs > 0 && leftMs <= longestMs ? leftMs : 0;
    },
    looked: (uid, startedMs, nowMs) => {
      const pauseMs = Math.min(longestMs, Math.max(shortestMs, (nowMs - startedMs) * factor));
      next.delete(uid);
      next.set(uid, nowMs + pauseMs);
      const [oldest] = next.keys();
      if (next.size > mostRemembered && oldest !== undefined) next.delete(oldest);
    },
  };
}

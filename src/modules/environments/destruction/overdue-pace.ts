// Overdue destructions start at a limited pace, so that a server that was down for long, or a
// restored backup, does not destroy everything at once.

export interface OverduePace {
  /** Milliseconds to wait before the destruction may start; 0 takes a place. */
  readonly take: (nowMs: number) => number;
}

const minuteMs = 60_000;

export function overduePace(perMinute: number): OverduePace {
  let started: number[] = [];
  return {
    take: (nowMs) => {
      started = started.filter((at) => nowMs - at < minuteMs && at <= nowMs);
      const [oldest] = started;
      if (started.length >= perMinute && oldest !== undefined) return oldest + minuteMs - nowMs;
      started.push(nowMs);
      return 0;
    },
  };
}

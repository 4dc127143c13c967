// How soon changed data is read again. A list that takes long is read less often, so that a busy
// server is not asked for more than it can answer: reading takes a fifth of the time at most.

const leastGapMs = 250;
const shareOfTime = 5;
const mostGapMs = 10_000;

export function nextReadMs(sinceLastStartMs: number, tookMs: number): number {
  const gap = Math.min(mostGapMs, Math.max(leastGapMs, tookMs * shareOfTime));
  return Math.max(0, gap - sinceLastStartMs);
}

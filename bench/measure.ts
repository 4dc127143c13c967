/**
 * How things are measured here: peers and ours take turns in one run, several rounds. The machine
 * may be shared and change its pace from second to second, so only ratios mean anything: each round
 * has one, and their median is what counts. What is shown beside it are the medians of both.
 */
import { monitorEventLoopDelay, performance } from "node:perf_hooks";

export interface Contest {
  readonly name: string;
  readonly unit: "/s" | "ms";
  readonly raw: () => Promise<number> | number;
  readonly ours: () => Promise<number> | number;
}

export interface Duel {
  readonly raw: number;
  readonly ours: number;
  /** How ours compares: 1 = as good as the raw limit, 0.5 = half as good. */
  readonly ratio: number;
}

export async function duel(contest: Contest, rounds = 7): Promise<Duel> {
  const raw: number[] = [];
  const ours: number[] = [];
  // The first turn of both is for the compiler and the caches.
  await contest.raw();
  await contest.ours();
  for (let round = 0; round < rounds; round += 1) {
    raw.push(await contest.raw());
    ours.push(await contest.ours());
  }
  const ratios = raw.map((a, round) => {
    const b = ours[round] ?? Number.NaN;
    return contest.unit === "/s" ? b / a : a / b;
  });
  return { raw: median(raw), ours: median(ours), ratio: median(ratios) };
}

/** Operations per second of `run`, which says how many it did. */
export async function rate(run: () => Promise<number> | number): Promise<number> {
  const start = performance.now();
  const done = await run();
  return (done * 1_000) / (performance.now() - start);
}

/** `callers` loops at once, each doing one operation after the other, `total` in all. */
export async function concurrently(
  callers: number,
  total: number,
  operation: (index: number) => Promise<void>,
): Promise<number> {
  let next = 0;
  const caller = async (): Promise<void> => {
    while (next < total) {
      const index = next;
      next += 1;
      await operation(index);
    }
  };
  await Promise.all(Array.from({ length: callers }, caller));
  return total;
}

/**
 * How far apart the ticks of a timer of 1 ms are at p99 while `run` goes on, in ms. The timer's own
 * interval is part of it, so how late the event loop is shows only beside that of an idle one.
 */
export async function tickGapP99(run: () => Promise<unknown>): Promise<number> {
  const gaps = monitorEventLoopDelay({ resolution: 1 });
  gaps.enable();
  await run();
  gaps.disable();
  return gaps.percentile(99) / 1e6;
}

export function median(values: readonly number[]): number {
  return percentile(values, 50);
}

export function percentile(values: readonly number[], percent: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  const index = Math.min(sorted.length - 1, Math.floor((percent / 100) * sorted.length));
  return sorted[index] ?? Number.NaN;
}

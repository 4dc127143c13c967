// A server that stands still for longer than its leases, as on a machine that is busy with others,
// loses claims by right, and begins what it was doing again. It counts them, so a test that counts
// beginnings can tell these from those that nothing explains.
import type { Setpoint } from "./setpoint.ts";

/**
 * How many claims the running process of the server has lost so far: by its own timers, or as the
 * store told the run when it wrote.
 */
export async function claimsLost(server: Setpoint): Promise<number> {
  const { body } = await server.ask("/metrics");
  const sumOf = (series: RegExp): number =>
    [...body.toString().matchAll(series)].reduce((sum, [, count]) => sum + Number(count), 0);
  const byTimers = sumOf(/^setpoint_claims_lost_total(?:\{.*\})? (\d+)$/gm);
  const byRuns = sumOf(/^setpoint_reconciles_total\{.*outcome="lost".*\} (\d+)$/gm);
  return Math.max(byTimers, byRuns);
}

/** The steps without repetitions in place of `expected`, no more of them than claims were lost. */
export function withoutLost(
  steps: readonly string[],
  expected: readonly string[],
  lost: number,
): readonly string[] {
  const kept: string[] = [];
  let left = lost;
  for (const step of steps) {
    const isRepeated = step === kept.at(-1) && step !== expected[kept.length];
    if (isRepeated && left > 0) left -= 1;
    else kept.push(step);
  }
  return kept;
}

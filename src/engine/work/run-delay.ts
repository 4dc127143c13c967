// How long a due resource waits before its next run: after it stopped its workers (crash-delay.ts),
// or because it failed recently (failure-delay.ts). Both are read from the status that the engine
// writes. A reconciler that owns the status is not delayed: its next run is
// due when its back-off ends.

import { isOfEarlierProcess } from "../run/earlier-runs.ts";
import type { Run } from "../run/run.ts";
import { putAsideMs } from "./crash-delay.ts";
import { tooEarlyMs } from "./failure-delay.ts";

/** 0 when it may run now. */
export function heldOffMs(run: Run, nowMs: number): number {
  const resource = run.current();
  if (run.reconciler.ownsStatus === true || isOfEarlierProcess(run, resource)) return 0;
  return Math.max(putAsideMs(resource, run.reconciler, nowMs), tooEarlyMs(resource, nowMs));
}

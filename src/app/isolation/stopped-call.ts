/** How a call into a module fails when the thread of the module ended. */
import { failed } from "../../engine/outcome.ts";
import { RunEnded } from "../../engine/run/run-ended.ts";
import { moduleStopReasons } from "../../engine/run/status.ts";
import { SetpointError } from "../../kernel/errors.ts";
import type { StopCause } from "./thread-life.ts";

export interface StoppedCall {
  readonly module: string;
  /** Such as reconcile, or the path of a hook. */
  readonly what: string;
  readonly isRun: boolean;
  readonly cause: StopCause;
  readonly isGuilty: boolean;
  /** When the module runs again. */
  readonly afterMs: number;
  readonly blockedMs: number;
}

/** A run that is to blame is delayed like one that crashes its workers. */
export function stoppedCall(call: StoppedCall): Error {
  const { module, what, isRun, cause, isGuilty, afterMs } = call;
  if (!isRun) {
    const message = `the module ${module} was stopped during ${what}`;
    return new SetpointError("module.unavailable", message, { details: { module } });
  }
  if (isGuilty && cause !== "ended") {
    const message = `${what} ${deeds(call)[cause]}; the thread of the module ${module} was stopped`;
    return new RunEnded(failed(moduleStopReasons[cause], message, { retry: "slow" }));
  }
  return restarting(module, afterMs);
}

/** For a run that is not to blame, or that could not begin. */
export function restarting(module: string, afterMs: number): RunEnded {
  const message = `the module ${module} is being restarted; retried soon`;
  return new RunEnded(failed("ModuleRestarting", message, { afterMs, isCounted: false }));
}

function deeds({ blockedMs }: StoppedCall): Readonly<Record<StopCause, string>> {
  return {
    blocked: `did not return to the event loop for ${Math.round(blockedMs / 1_000)} s`,
    memory: "used more memory than a module may use",
    exit: "called process.exit",
    error: "ended the thread with an error",
    ended: "was interrupted",
  };
}

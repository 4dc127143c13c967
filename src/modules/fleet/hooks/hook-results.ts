// Reads what functions of modules return. A value of another form is a failure of the function:
// nothing is done by guess.

import { fleetLimits } from "../limits.ts";
import type { AdmitProblem } from "./fleet-hooks.ts";
import type { StepAnswer } from "./hooks.ts";

export class InvalidHookResult extends TypeError {
  constructor(problem: string) {
    super(problem);
    this.name = "InvalidHookResult";
  }
}

interface Caller {
  readonly module: string;
  readonly point: string;
}

/** Points at which a function can fail the instance. */
const failingPoints: ReadonlySet<string> = new Set(["prepare", "provisioned"]);

export function readResult(result: unknown, { module, point }: Caller): StepAnswer {
  if (result === undefined || result === null) return { kind: "continue" };
  const { kind, reason, afterMs } = Object(result) as Record<string, unknown>;
  if (kind !== "wait" && kind !== "fail") {
    throw new InvalidHookResult("a result has the kind wait or fail");
  }
  if (typeof reason !== "string" || reason === "") {
    throw new InvalidHookResult("a result has a reason");
  }
  const shown = reason.slice(0, fleetLimits.maxHookReasonChars);
  if (kind === "fail" && failingPoints.has(point)) return { kind: "fail", message: shown };
  const message = `${shown} (hook ${point} of the module ${module})`;
  return { kind: "wait", message, afterMs: readDelay(afterMs) };
}

function readDelay(afterMs: unknown): number {
  if (afterMs === undefined) return fleetLimits.hookRetryMs;
  if (typeof afterMs !== "number" || !Number.isFinite(afterMs)) {
    throw new InvalidHookResult("afterMs is a number");
  }
  return Math.min(Math.max(afterMs, fleetLimits.hookShortestMs), fleetLimits.hookLongestMs);
}

export function readProblems(result: unknown): readonly AdmitProblem[] {
  if (result === undefined || result === null) return [];
  if (!Array.isArray(result)) throw new InvalidHookResult("admit returns a list of problems");
  return (result as readonly unknown[]).map((each) => {
    const { field, message } = Object(each) as Record<string, unknown>;
    if (typeof field !== "string" || typeof message !== "string") {
      throw new InvalidHookResult("a problem has a field and a message");
    }
    return { field, message: message.slice(0, fleetLimits.maxHookReasonChars) };
  });
}

/** Only ids that were offered, each once. */
export function readChoice(result: unknown, known: readonly string[]): readonly string[] {
  if (!Array.isArray(result)) throw new InvalidHookResult("choose returns a list of cluster ids");
  const ids = result as readonly unknown[];
  const isValid = ids.every((id) => typeof id === "string" && known.includes(id));
  if (!isValid) throw new InvalidHookResult("choose returns ids of the given clusters");
  return [...new Set(ids as readonly string[])];
}

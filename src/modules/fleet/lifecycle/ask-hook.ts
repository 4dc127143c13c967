// Asks the functions of user modules at a point of the life cycle. A function that waits or fails
// delays the step, with its reason in the status. The time limits of the Offering hold for it as
// well: an instance does not wait forever for a function.

import { again, failed } from "../../../engine/outcome.ts";
import type { Outcome } from "../../../engine/outcome.ts";
import { spanText } from "../../../kernel/span-text.ts";
import type { StepAnswer, StepPoint } from "../hooks/hooks.ts";
import type { InstanceRun } from "./instance-run.ts";
import type { Phase } from "./phases.ts";

/** Functions of user modules that a move waits for. */
export const pointOf: Partial<Record<Phase, StepPoint>> = {
  provisioning: "prepare",
  ready: "provisioned",
  suspending: "suspend",
  resuming: "resume",
};

/** Undefined when no module has a function at the point. */
export async function askHook(
  { ports, offering, context, resource }: InstanceRun,
  point: StepPoint,
): Promise<StepAnswer | undefined> {
  const at = { offering: offering.name, instance: resource };
  return await ports.state.hooks.step(point, at, context);
}

export type Held =
  | { readonly kind: "free" }
  /** The instance has failed; the next step follows. */
  | { readonly kind: "failed" }
  | { readonly kind: "held"; readonly outcome: Outcome };

/** Whether a function holds the move to a phase. */
export async function heldByHook(run: InstanceRun, to: Phase): Promise<Held> {
  const point = pointOf[to];
  const answer = point === undefined ? undefined : await askHook(run, point);
  if (answer === undefined || answer.kind === "continue") return { kind: "free" };
  const limit = limitOf(run);
  const isLate = limit !== undefined && limit.atMs <= run.nowMs;
  if (answer.kind === "fail" || isLate) {
    const late = isLate ? `not complete after ${spanText(limit.spanMs)}: ` : "";
    await run.fail(answer.kind === "fail" ? answer.message : `${late}${answer.message}`);
    return { kind: "failed" };
  }
  return { kind: "held", outcome: delayed(answer, limit && limit.atMs - run.nowMs) };
}

/** The outcome of a run whose step waits, at the latest until `mostMs`. */
export function delayed(
  answer: Extract<StepAnswer, { readonly message: string }>,
  mostMs = Infinity,
): Outcome {
  const { kind, message } = answer;
  if (kind !== "wait") return failed("HookFailed", message);
  const afterMs = Math.min(answer.afterMs, mostMs);
  return again(afterMs, { reason: "WaitingForHook", message });
}

interface Limit {
  readonly atMs: number;
  readonly spanMs: number;
}

/** While an instance is created or resumed. */
function limitOf({ instance, offering }: InstanceRun): Limit | undefined {
  const { phase, phaseSinceMs, budgetSinceMs } = instance;
  const { preparation, creation } = offering.timeouts;
  switch (phase) {
    case "preparing":
      return { atMs: phaseSinceMs + preparation, spanMs: preparation };
    case "provisioning":
      return { atMs: budgetSinceMs + creation, spanMs: creation };
    case "resuming":
      return { atMs: phaseSinceMs + creation, spanMs: creation };
    default:
      return undefined;
  }
}

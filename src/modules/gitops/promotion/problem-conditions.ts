/** The conditions ErrorOccurred and Reconciled of the kinds of promotions. Pure. */
import { conditionsOf } from "../../../engine/run/status.ts";
import type { Readiness } from "../../../engine/outcome.ts";
import { findCondition, setCondition } from "../../../kernel/conditions.ts";
import type { Condition } from "../../../kernel/conditions.ts";
import { objectAt } from "../../../kernel/json-read.ts";
import type { Resource } from "../../../kernel/resource.ts";

export interface PromotionProblem {
  readonly reason: string;
  readonly message: string;
  /** Something that passes by itself, such as a claim that is not bound yet. */
  readonly isWaiting?: boolean;
}

export function problemConditions(
  resource: Resource,
  problem: PromotionProblem | undefined,
  nowMs: number,
): readonly Condition[] {
  const before = conditionsOf(objectAt(resource, "status"));
  const isError = problem !== undefined && problem.isWaiting !== true;
  const error = isError
    ? { type: "ErrorOccurred", status: "True" as const, ...textsOf(problem) }
    : {
        type: "ErrorOccurred",
        status: "False" as const,
        reason: resolvedReason(findCondition(before, "ErrorOccurred")),
        message: "",
      };
  const reconciled =
    problem === undefined
      ? { type: "Reconciled", status: "True" as const, reason: "Reconciled", message: "" }
      : { type: "Reconciled", status: "False" as const, ...textsOf(problem) };
  return setCondition(setCondition(before, error, nowMs), reconciled, nowMs);
}

export function readinessOf(problem: PromotionProblem | undefined): Readiness | undefined {
  return problem === undefined ? undefined : { status: "False", ...textsOf(problem) };
}

function textsOf({ reason, message }: PromotionProblem): Pick<Readiness, "reason" | "message"> {
  return { reason, message };
}

/** SecretNotFound becomes SecretNotFoundResolved. */
function resolvedReason(before: Condition | undefined): string {
  if (before === undefined) return "NoError";
  return before.status === "True" ? `${before.reason}Resolved` : before.reason;
}

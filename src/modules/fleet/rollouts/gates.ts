// The health gates of a Rollout: bounds on failures, and a condition in CEL over the counts. Pure.

import { compileExpression } from "../../../kernel/cel/environment.ts";
import { boolType, intType } from "../../../kernel/cel/types.ts";
import { int } from "../../../kernel/cel/values.ts";
import { limits } from "../../../kernel/limits.ts";
import type { Gates } from "./rollout.ts";

/** How many instances stand how; see standing.ts. */
export interface RolloutCounts {
  readonly total: number;
  /** Should have the versions: healthy, updating, failed and skipped. */
  readonly updated: number;
  readonly healthy: number;
  readonly updating: number;
  readonly failed: number;
  readonly waiting: number;
}

export interface GateInput {
  readonly gates: Gates;
  readonly counts: RolloutCounts;
  readonly wave: number;
}

/** Why a gate does not hold; undefined when all hold. */
export function gateProblem({ gates, counts, wave }: GateInput): string | undefined {
  const { failed, updated } = counts;
  const { maxFailed, maxFailedPercent, condition } = gates;
  if (maxFailed !== undefined && failed > maxFailed) {
    return `${instances(failed)} failed, and gates.maxFailed is ${maxFailed}`;
  }
  if (maxFailedPercent !== undefined && failed * 100 > maxFailedPercent * updated) {
    return (
      `${failed} of ${instances(updated)} failed, and gates.maxFailedPercent is ` +
      `${maxFailedPercent}`
    );
  }
  return condition === undefined ? undefined : conditionProblem(condition, { ...counts, wave });
}

/** Why the text is not a condition; undefined for one that compiles. */
export function conditionFault(source: string): string | undefined {
  const compiled = compileCondition(source);
  return compiled.kind === "failed" ? compiled.message : undefined;
}

function conditionProblem(
  source: string,
  values: Readonly<Record<string, number>>,
): string | undefined {
  const compiled = compileCondition(source);
  if (compiled.kind === "failed") return `gates.condition: ${compiled.message}`;
  const bindings = Object.fromEntries(
    variables.map((name) => [name, int(BigInt(values[name] ?? 0))]),
  );
  const result = compiled.program.evaluate(bindings, limits.maxCelCallCost);
  // A condition that cannot be evaluated does not hold: an update is not the safe choice.
  if (result.kind !== "value") return `gates.condition: ${result.message}`;
  return result.value === true ? undefined : `gates.condition is false: ${source}`;
}

const variables = ["total", "updated", "healthy", "updating", "failed", "waiting", "wave"] as const;

function compileCondition(source: string): ReturnType<typeof compileExpression> {
  const types = Object.fromEntries(variables.map((name) => [name, intType]));
  return compileExpression(source, { variables: types, expects: boolType });
}

function instances(count: number): string {
  return count === 1 ? "1 instance" : `${count} instances`;
}

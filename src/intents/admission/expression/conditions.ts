// Match conditions: a webhook or policy is only asked when all of them hold. One that is false
// decides, whatever the others say; one that cannot be evaluated counts as the failure policy says.

import { boolType } from "../../../kernel/cel/types.ts";
import type { Json } from "../../../kernel/json.ts";
import { textAt } from "../../../kernel/json-read.ts";
import { limits } from "../../../kernel/limits.ts";
import type { Sliced } from "../../../kernel/sliced.ts";
import type { Bindings } from "./bindings.ts";
import { evaluate, laterExpression, newBudget, OutOfBudget } from "./expression.ts";
import type { ExpressionResult } from "./expression.ts";

export type ConditionsResult =
  | { readonly kind: "match" }
  | { readonly kind: "skip" }
  | { readonly kind: "error"; readonly message: string };

/** Yields after each condition. */
export type Conditions = (bindings: Bindings) => Sliced<ConditionsResult>;

export interface ConditionsOptions {
  readonly hasParams: boolean;
  readonly isIgnoredOnFailure: boolean;
}

/** Undefined when there are none. */
export function compileConditions(
  conditions: readonly Json[],
  { hasParams, isIgnoredOnFailure }: ConditionsOptions,
): Conditions | undefined {
  if (conditions.length === 0) return undefined;
  const choice = { hasParams, hasAuthorizer: true };
  const compiled = conditions.map((condition) =>
    laterExpression(textAt(condition, "expression"), choice, [boolType]),
  );
  const failed = (message: string): ConditionsResult =>
    isIgnoredOnFailure ? { kind: "skip" } : { kind: "error", message };
  return function* decide(bindings) {
    const budget = newBudget(limits.maxCelConditionsCost);
    try {
      const results: ExpressionResult[] = [];
      for (const expression of compiled) {
        results.push(evaluate(expression, bindings, budget));
        yield;
      }
      if (results.some((one) => one.kind === "value" && one.value === false)) {
        return { kind: "skip" };
      }
      const errors = results.flatMap((one) => (one.kind === "error" ? [one.message] : []));
      return errors.length === 0 ? { kind: "match" } : failed(aggregate(errors));
    } catch (error) {
      if (!(error instanceof OutOfBudget)) throw error;
      return failed(error.message);
    }
  };
}

/** Several errors as one text, each of them once. */
function aggregate(errors: readonly string[]): string {
  const different = [...new Set(errors)];
  const [only = ""] = different;
  return different.length === 1 ? only : `[${different.join(", ")}]`;
}
